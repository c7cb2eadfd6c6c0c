import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, type Ended } from '../support/cli.js'
import { temporaryFolder } from '../support/store.js'

/** Texts with one kind of terminal control each. */
const hostile = {
  'sequences, marks of direction and faked lines':
    'a\u001b[2J\u001b[31mb\u001b]0;title\u0007c\u001b[1A x\u202etxet\u202c\u2066y\u2069\u200f\u061c\u2028z\n  mmlu   acc   1.000\r\nerror: nothing',
  'control characters': Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code))
    .filter(character => /\p{Cc}/u.test(character) && !'\0\n\t'.includes(character))
    .join(''),
}

const inJson = (text: string): string =>
  JSON.stringify(text).replace(
    /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A folder with a task, data and a plugin in which every name and text is the hostile one. */
async function hostileFolder(text: string, name = text.replace(/[\n\r]+/g, ' ')): Promise<string> {
  const folder = await temporaryFolder()
  const file = `${name}.jsonl`
  await mkdir(join(folder, 't'))
  await writeFile(
    join(folder, 't/t.yaml'),
    `task: own
task_alias: ${inJson(text)}
dataset_path: ${inJson(`./${file}`)}
doc_to_text: ${inJson('{{question}}')}
doc_to_target: answer
breakdown: ${inJson(`kind ${name}`)}
metric_list: [{metric: exact_match}]
filter_list: [{name: ${inJson(name)}, filter: [{function: take_first}]}]
`,
  )
  const docs = ['a', 'b'].map(kind => ({
    id: `${kind}${text}`,
    question: `What is ${text}?`,
    answer: kind === 'a' ? `What is ${text}?` : text,
    [`kind ${name}`]: `${kind}${text}`,
  }))
  await writeFile(join(folder, 't', file), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(
    join(folder, 'plugin.js'),
    `import { defineBackend, PipelineError, AttemptError, z, affectsOutput } from 'pipeline'
export const mine = defineBackend({
  id: 'mine', aliases: [${inJson(text)}], summary: ${inJson(text)},
  args: z.object({ way: affectsOutput(z.string().default(${inJson(text)}).describe(${inJson(text)})) }),
  accepts: ['text'],
  open: () => ({ async generate({ input }) {
    const said = JSON.stringify(input.messages)
    if (said.includes('b')) throw new AttemptError('invalid_request', ${inJson(text)}, { isRetryable: false })
    return { text: ${inJson(text)} }
  } }),
})
`,
  )
  return folder
}

/** The program's own colours are the only allowed escape sequences. */
const withoutOurColours = (text: string): string => text.replace(/\u001b\[(?:1|2|22|31|32|33|36|39)m/gu, '')

const acting = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u

const isHarmless = ({ stdout, stderr }: Ended): string | undefined =>
  [stdout, stderr].map(text => withoutOurColours(text).replace(/[\n\t]/g, '')).find(text => acting.test(text))

test.each(Object.entries(hostile))('%s in a user’s texts never reach the terminal', async (_, text) => {
  const cwd = await hostileFolder(text)
  const name = text.replace(/[\n\r]+/g, ' ')
  const colour = { NO_COLOR: '', FORCE_COLOR: '1' }
  const evaluated = await runCli(['eval', '--model', 'dummy', '--tasks', './t'], { cwd, env: colour })
  expect(evaluated.code).toBe(0)
  expect(evaluated.stdout).toContain('\u001b[2mtask')
  const lines: readonly (readonly string[])[] = [
    ['eval', '--model', 'mine', '--plugin', './plugin.js', '--tasks', './t', '--model-args', `way=${name}`],
    ['eval', '--model', 'dummy', '--tasks', './t', '--plan'],
    ['report', 'last~1', '--samples', 'all'],
    ['report', 'last'],
    ['report', 'last', '--samples', 'failed'],
    ['report', 'last', '--throughput'],
    ['report', 'last', '--junit'],
    ['report', 'last', '--md'],
    ['report', 'last~1', 'last', '--latex'],
    ['runs'],
    ['runs', 'show', 'last'],
    ['compare', 'last~1', 'last'],
    ['cache', 'why-miss', 'last~1', 'last'],
    ['tasks', 'show', './t'],
    ['tasks', 'validate', './t'],
    ['tasks', 'list', name],
    ['models', 'list', '--plugin', './plugin.js'],
    ['models', 'show', 'mine', '--plugin', './plugin.js'],
    // Errors of the program and of commander.
    ['eval', '--model', name, '--tasks', name],
    ['eval', '--model', 'dummy', '--tasks', './t', '--config', `./${name}.yaml`],
    ['judge', name],
    [name],
    ['eval', `--${name}`],
    ['report', 'last', name, name],
    ['eval', '--limit', name],
  ]
  for (const line of lines) {
    const ended = await runCli(line, { cwd, env: colour })
    expect({ line, found: isHarmless(ended) }).toEqual({ line, found: undefined })
    expect(ended.stdout + ended.stderr).not.toMatch(/^(error: nothing|  mmlu   acc)/mu)
  }
  expect(isHarmless(evaluated)).toBeUndefined()
})

test('JSON output contains every text unchanged', async () => {
  const text = Object.values(hostile)
    .join('')
    .replace(/[\n\r]+/g, ' ')
  const cwd = await hostileFolder(text, 'docs')
  const evaluated = await runCli(['eval', '--model', 'dummy', '--tasks', './t', '--json'], { cwd })
  expect(isHarmless(evaluated)).toBeUndefined()
  const samples = await runCli(['report', 'last', '--samples', 'all', '--json'], { cwd })
  expect(isHarmless(samples)).toBeUndefined()
  const ids = samples.stdout
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { doc_id: string }).doc_id)
  expect(ids).toEqual([`a${text}`, `b${text}`])
})
