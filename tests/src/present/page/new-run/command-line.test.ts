import { execFileSync } from 'node:child_process'
import { Command } from 'commander'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../cache/records.js'
import { configSchema } from '../../../../../src/config/file/config-schema.js'
import { evalSettings, type EvalFlags } from '../../../../../src/config/eval-settings.js'
import { addFlags, formatFileKey } from '../../../../../src/config/option.js'
import { allOptions } from '../../../../../src/config/options.js'
import { commandLine } from '../../../../../src/present/page/new-run/command-line.js'
import { optionFields } from '../../../../../src/present/page/new-run/option-fields.js'

/** The words that a POSIX shell makes of a command line. Nothing else of the line may happen. */
function shellWords(line: string): readonly string[] {
  const [program, , ...words] = execFileSync('sh', ['-c', `pipeline() { printf '%s\\0' pipeline "$@"; }\n${line}`], {
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1)
  expect(program).toBe('pipeline')
  return words
}

function settingsOfLine(line: string): unknown {
  const command = addFlags(new Command('eval'), allOptions).exitOverride()
  command.parse([...shellWords(line)], { from: 'user' })
  return asTexts(evalSettings(command.opts<EvalFlags>(), {}, {}))
}

const settingsOfFile = (config: JsonObject): unknown => asTexts(evalSettings({}, configSchema.parse(config), {}))

/** Arguments of a model are texts on a command line. The backend's schema converts them. */
const asTexts = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'number' || typeof inner === 'boolean' ? String(inner) : inner,
  )

const base = { model: 'openai', tasks: ['mmmu_val'] }

test('each option has a value that survives a round trip through the command line', () => {
  const values: JsonObject = {
    limit: 0.1,
    limit_by: 'subject',
    docs: ['q1', 'mmmu_val/*'],
    offset: 3,
    subset: 10,
    subset_seed: 4,
    stop_when: 'half-width < 0.02',
    shard: '2/4',
    num_fewshot: 2,
    judge_override: { 'gpt-4-32k': 'gpt-4.1' },
    fewshot_as_multiturn: true,
    system_instruction: "Say 'no'.\nThen $(stop); `x` \\ !",
    repeats: 3,
    fewshot_seed: 7,
    force_simple: true,
    gen_kwargs: { temperature: 0.7, until: ['\n', '.'] },
    mcp: ['node server.mjs --a=b, c', 'http://127.0.0.1:1/mcp'],
    tools: './tools.yaml',
    max_tool_rounds: 4,
    tool_timeout: 2.5,
    concurrency: 'adaptive',
    max_concurrency: 9,
    order: 'none',
    hedge: 'p90',
    retry_failed: true,
    batch: true,
    batch_requests: 5,
    poll: 3,
    wait: true,
    max_requests: 100,
    max_tokens_total: 1000,
    max_cost: 2.5,
    max_time: '1h30m',
    fail_fast: 3,
    prices: './prices.yaml',
    judge_model: 'openai',
    judge_args: { model: 'gpt-4.1', temperature: 0 },
    parity: 'lmms-eval',
    new_run: true,
    fresh: true,
    code_key: 'revision',
    code_version: 'a b',
    name: 'first try',
    tag: ['draft', 'a b'],
    note: 'a remark',
    model_name: 'mine',
    include_path: ['./my tasks', 'other'],
    plugin: ['./plugin.mjs'],
  }
  const without = ['samples']
  expect(Object.keys(values).sort()).toEqual(
    optionFields
      .map(({ name }) => name)
      .filter(name => !without.includes(name))
      .sort(),
  )
  for (const [key, value] of Object.entries(values)) {
    const config = { ...base, [key]: value }
    expect({ key, settings: settingsOfLine(commandLine(config)) }).toEqual({ key, settings: settingsOfFile(config) })
  }
})

test('any text in arguments survives a round trip, and executes nothing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter(text => !text.includes('\0')),
      fc.string(),
      (text, word) => {
        const config = {
          ...base,
          model_args: { model: text, word: word.replaceAll('\0', '') },
          system_instruction: `;${word.replaceAll('\0', '')}`,
        }
        expect(settingsOfLine(commandLine(config))).toEqual(settingsOfFile(config))
      },
    ),
    { numRuns: 150 },
  )
})

test('writes plain arguments as people do', () => {
  expect(commandLine({ ...base, model_args: { model: 'gpt-4.1-mini', temperature: 0 }, limit: -1, hedge: true })).toBe(
    'pipeline eval --model openai --tasks mmmu_val --model-args model=gpt-4.1-mini,temperature=0 --limit=-1 --hedge',
  )
  expect(commandLine({ ...base, limit: { mmmu_val: 3 } })).toContain('--limit mmmu_val=3')
})

test('writes a value without a flag to the file', () => {
  expect(commandLine({ ...base, samples: { mmmu_val: [1, 2] } })).toBe('pipeline eval --config run.yaml')
})

test('every field of the form is an option of a configuration file', () => {
  const known = Object.keys(allOptions).map(formatFileKey)
  expect(optionFields.filter(({ name }) => !known.includes(name))).toEqual([])
  expect(optionFields.find(({ name }) => name === 'order')).toMatchObject({ kind: 'choice', flag: '--order' })
  expect(optionFields.find(({ name }) => name === 'batch')).toMatchObject({ kind: 'switch' })
  expect(optionFields.find(({ name }) => name === 'offset')).toMatchObject({ kind: 'number' })
  expect(optionFields.find(({ name }) => name === 'plugin')).toMatchObject({ kind: 'list' })
})
