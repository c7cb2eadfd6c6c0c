import { describe, expect, it } from 'vitest'
import type { Json } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import type { JsonObject } from '../../cache/records.js'
import { parseArguments, typedArguments } from '../../src/config/argument-string.js'
import type { PreparedTask } from '../../stages/input/prepare-task.js'
import { readMessages, type DraftMessage } from '../../stages/input/render/messages.js'
import { userTurn } from '../../stages/input/render/prompt.js'
import { mediaIn } from '../../stages/input/render/visuals.js'
import { computeDocRange, selectionProblems, type Selection } from '../../stages/input/selection/selection.js'
import { scoringConfig } from '../../stages/judge/compile/scoring-spec.js'
import { goldenRows } from '../support/golden.js'

interface Row {
  readonly id: string
  readonly kind: string
  readonly input: never
  readonly expected: Json
}

const rows = goldenRows<Row>('tasks/machinery.jsonl.gz')

/** Kinds of internals of lmms-eval that have no counterpart here. */
const without: Readonly<Record<string, string>> = {
  unwrap_generation_output: 'a response has fields, and is never a text or a pair of text and counts',
  model_name_from_args: 'results lie in a folder that is named like the run',
  sanitize_model_name: 'results lie in a folder that is named like the run',
  sanitize_task_name: 'no file is named like a task',
  sanitize_long_string: 'no file is named like the arguments',
  get_file_task_name: 'no file is named like a task',
  get_file_datetime: 'no file is named by its time',
  get_results_filenames: 'no file is named by its time',
}

/** Arguments whose result differs from the reference on purpose, with this program's result and the reason. */
const otherwise: Readonly<Record<string, { readonly own: Json; readonly why: string }>> = {
  "a='x,y',b=2": { own: { a: 'x,y', b: 2 }, why: 'quotes around a value are no part of it' },
  'a="x,y"': { own: { a: 'x,y' }, why: 'quotes around a value are no part of it' },
  'a={"k":[1,2]},b=3': { own: { a: { k: [1, 2] }, b: 3 }, why: 'JSON is read' },
  'a=[1,2],b={x:1}': {
    own: 'refused: --x: b begins like JSON, but is none: {x:1}',
    why: 'a value that begins like JSON must be JSON',
  },
  'a=nan,b=inf': { own: { a: 'nan', b: 'inf' }, why: 'no argument of a model or of generation is a number like this' },
  'a=1_000': { own: { a: '1_000' }, why: 'nobody writes numbers so' },
  nan: { own: 'nan', why: 'no argument of a model or of generation is a number like this' },
  '\u0663': { own: '\u0663', why: 'digits are ASCII' },
  'a=1,,b=2': { own: 'refused: --x: expected name=value, given ""', why: 'a missing argument is reported' },
  'a=1,': { own: 'refused: --x: expected name=value, given ""', why: 'a missing argument is reported' },
}

/** The result of a row, or the message of its rejection. */
function resultOf(own: (row: Row) => unknown, row: Row): unknown {
  try {
    return own(row)
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : String(error)}`
  }
}

const argumentsOf = (text: string): unknown => typedArguments(parseArguments([text], '--x'), '--x')

const kinds: Readonly<Record<string, (row: Row) => unknown>> = {
  hash_string: ({ input }) => sha256<'file'>(input).replace('sha256:', ''),
  simple_parse_args_string: ({ input }) => argumentsOf(input),
  handle_arg_string: ({ input }) => (argumentsOf(`a=${input as string}`) as JsonObject)['a'],
}

describe('the machinery of lmms-eval between tasks and models', () => {
  for (const [kind, own] of Object.entries(kinds)) {
    const all = rows.filter(row => row.kind === kind)
    const different = all.filter(({ input }) => otherwise[input as string] !== undefined)
    it(`equals the reference except ${different.length} of ${all.length} rows with their own results: ${kind}`, () => {
      expect(all).not.toEqual([])
      for (const row of all) {
        const wanted = otherwise[row.input as string]
        expect(resultOf(own, row), `${row.id} ${wanted?.why ?? ''}`).toEqual(wanted?.own ?? row.expected)
        if (wanted !== undefined) expect(row.expected, `${row.id} differs`).not.toEqual(wanted.own)
      }
    })
  }

  it('has a row for each intended difference', () => {
    const compared = rows.filter(({ kind }) => kind in kinds).map(({ input }) => input as string)
    expect(Object.keys(otherwise).filter(input => !compared.includes(input))).toEqual([])
  })

  it('limits docs as the reference does, but rejects invalid limits', async () => {
    const own = rows.filter(({ kind }) => kind === 'limit' || kind === 'doc_iterator')
    const refused = []
    for (const { kind, input, expected } of own) {
      const { n, limit, offset = 0, rank = 0, world = 1 } = input as Record<string, number>
      const selection: Selection = {
        ...(limit === undefined || (limit as number | null) === null || limit === -1 ? {} : { limit }),
        offset,
        ...(world === 1 ? {} : { shard: { index: rank + 1, of: world } }),
      }
      if (selectionProblems(selection, []).length > 0) {
        refused.push(limit ?? offset)
        continue
      }
      const { start, end, only } = await computeDocRange(selection, { count: n } as PreparedTask, 't')
      const indices = Array.from({ length: Math.min(end, n ?? 0) - start }, (_, i) => start + i)
      if (kind === 'limit') expect(end === Infinity ? null : end).toBe(expected)
      else expect(indices.filter(index => only?.has(index) ?? true)).toEqual(expected)
    }
    expect(refused).toEqual([0, 3.7, 0, 3])
  })

  it('puts media before the text of a turn', () => {
    const own = rows.filter(({ kind }) => kind === 'user_turn')
    expect(own).toHaveLength(3)
    for (const { input, expected, id } of own) {
      const { visuals, text } = input as { readonly visuals: readonly string[] | null; readonly text: string }
      const given = expected as unknown as readonly { readonly role: string; readonly content: readonly JsonObject[] }[]
      // An empty text is omitted, because servers reject it.
      const said = given.map(({ role, content }) => ({ role, content: content.filter(part => part['text'] !== '') }))
      const shown = userTurn(visuals ?? [], text).map((message: DraftMessage) => ({
        role: message.role,
        content: message.content.map(part =>
          part.type === 'text' ? part : { ...said[0]?.content[0], url: part.source },
        ),
      }))
      expect(shown, id).toEqual(said)
    }
  })

  it('accepts media in the forms that functions return, whatever their names end in', () => {
    const own = rows.filter(({ kind }) => kind === 'visual_to_content')
    const media = own.filter(({ expected }) => typeof (expected as JsonObject)['url'] === 'string')
    for (const { input, expected, id } of media) {
      const { type, url } = expected as { readonly type: string; readonly url: string }
      const typed = (input as JsonObject | string)['type' as never] as string | undefined
      if (type === 'text') continue
      const found =
        typed === undefined
          ? mediaIn(input)
          : readMessages([{ role: 'user', content: [input] }]).flatMap(({ content }) =>
              content.flatMap(part => (part.type === 'medium' ? [part.source] : [])),
            )
      expect(
        found.map(one => (typeof one === 'object' && 'path' in one ? one.path : one)),
        id,
      ).toEqual([url])
    }
    expect(media.length).toBeGreaterThan(10)
  })

  it('uses reasoning tags of the task, or its defaults', () => {
    const own = rows.filter(({ kind }) => kind === 'reasoning_tags_config')
    const ofTasks = own.filter(({ input }) => (input as { readonly task: Json }).task !== null)
    expect(ofTasks).toHaveLength(3)
    for (const { input, expected, id } of ofTasks) {
      const { cli, task } = input as { readonly cli: string | null; readonly task: Json }
      const tags = scoringConfig.parse({ reasoning_tags: task }).reasoning_tags
      expect(tags.length === 0 ? null : tags, `${id} ${cli ?? ''}`).toEqual(expected)
    }
  })

  it(`leaves out ${Object.keys(without).length} kinds of rows about internals of lmms-eval, with a reason`, () => {
    expect(Object.keys(without).filter(kind => !rows.some(row => row.kind === kind))).toEqual([])
  })
})
