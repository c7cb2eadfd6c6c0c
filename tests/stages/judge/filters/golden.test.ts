import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { read, type Reading } from '../../../../stages/judge/define/define-filter.js'
import { stripReasoning } from '../../../../stages/judge/text/reasoning.js'
import { goldenRows } from '../../../support/golden.js'
import { recordOf } from '../../../support/judged.js'
import { builtInJudges } from '../../../support/scorer.js'

type Shown = string | null

interface Row {
  readonly id: string
  readonly fn: string
  readonly input: {
    readonly resps: readonly (readonly string[])[]
    readonly docs?: readonly JsonObject[]
    readonly text: string
  }
  readonly params: JsonObject & { readonly pairs?: [string, string][] }
  readonly expected: { readonly out: readonly (Shown | readonly Shown[])[]; readonly text: string }
}

/** The reference's names of filters that are defined in its tasks. */
const names: Readonly<Record<string, string>> = {
  simple_multi_choice: 'simple_multi_choice_regex',
  ai2d: 'leading_letter',
}
/** Filters that return one text for each list of samples. */
const first: ReadonlySet<string> = new Set(['take_first', 'simple_multi_choice_regex', 'leading_letter'])

/** The reference writes what it could not read as a text, or as null. */
const shownAs =
  (missing: Shown) =>
  (reading: Reading): Shown =>
    reading.type === 'read' ? reading.text : (reading.standIn ?? missing)

function apply(name: string, params: Json, { readings, doc }: { readings: readonly Reading[]; doc: JsonObject }) {
  const filter = builtInJudges.filters.get(name)!
  return filter.apply(readings, filter.args.parse(params), recordOf('', { doc }))
}

describe('lmms_filters', () => {
  const rows = goldenRows<Row>('metrics/lmms_filters.jsonl.gz')
  const filters = rows.filter(row => row.fn.includes('.filter.'))
  const stripped = rows.filter(row => row.fn.endsWith('strip_reasoning_tags'))

  test(`filters return the same as the reference, with invalid texts unparsed (${filters.length} rows)`, () => {
    for (const { id, fn, input, params, expected } of filters) {
      const short = fn.split('.').at(-1)!
      const name = names[short] ?? short
      const shown = shownAs(name === 'map' ? null : '[invalid]')
      const out = input.resps.map((texts, i) => {
        const kept = apply(name, params, { readings: texts.map(read), doc: input.docs?.[i] ?? {} }).map(shown)
        return first.has(name) ? (kept[0] ?? '') : kept
      })
      expect([id, out]).toEqual([id, expected.out])
    }
  })

  test(`removes reasoning as the reference does (${stripped.length} rows)`, () => {
    for (const { id, input, params, expected } of stripped) {
      expect([id, stripReasoning(input.text, params.pairs!)]).toEqual([id, expected.text])
    }
  })

  test('all rows are of these two kinds', () => {
    expect(filters.length + stripped.length).toBe(rows.length)
  })
})

interface PipelineRow {
  readonly id: string
  readonly kind: string
  readonly input: {
    readonly pipeline: readonly (readonly [string, JsonObject | null])[]
    readonly resps: readonly (readonly string[])[]
    readonly docs: readonly JsonObject[]
  }
  readonly expected: readonly (Json | readonly Json[])[] | { readonly error: { readonly type: string } }
}

/** The reference checks the number of samples of the first doc only, this program that of each. */
const leniencies: ReadonlySet<string> = new Set(['machinery/filter_repeats/k_uneven'])

/** The reference takes an option that begins another one: of 12 and 120, "120" names 12. Here the longest text counts. */
const corrected: ReadonlyMap<string, Json> = new Map([['machinery/filter/mc_regex_ignore/16/1', ['(C)']]])

describe('pipelines of filters', () => {
  const machinery = goldenRows<PipelineRow>('tasks/machinery.jsonl.gz')
  const rows = machinery.filter(({ kind, id }) => /^filter(?:_repeats)?$/.test(kind) && !leniencies.has(id))

  test(`return the same as the reference, or unparsed or an error where it raises (${rows.length} rows)`, () => {
    for (const { id, input, expected } of rows) {
      const run = () =>
        input.resps.map((texts, i) =>
          input.pipeline.reduce<readonly Reading[]>(
            (readings, [name, params]) => apply(name, params ?? {}, { readings, doc: input.docs[i] ?? {} }),
            texts.map(read),
          ),
        )
      if ('error' in expected) {
        expect(isRefused(run), id).toBe(true)
        continue
      }
      const maps = input.pipeline.some(([name]) => name === 'map')
      const out = run().map((readings, i) => {
        const shown = readings.map(shownAs(maps ? null : '[invalid]'))
        return Array.isArray(expected[i]) ? shown : readings.length === 0 ? '' : shown[0]
      })
      expect([id, out]).toEqual([id, corrected.get(id) ?? JSON.parse(JSON.stringify(expected, numbersAsTexts))])
    }
  })

  test('rejects a doc with fewer samples than take_first_k needs', () => {
    expect(() => apply('take_first_k', { k: 3 }, { readings: [read('1')], doc: {} })).toThrow('Set `repeats: 3`')
  })

  test('have all filter names of the reference', () => {
    const [row] = goldenRows<{ kind: string; expected: string[] }>('tasks/machinery.jsonl.gz').filter(
      ({ kind }) => kind === 'filter_registry',
    )
    expect(row!.expected.filter(name => !builtInJudges.filters.has(name))).toEqual([])
  })
})

/** This program never keeps a text if the reference cannot read one. */
function isRefused(run: () => readonly (readonly Reading[])[]): boolean {
  try {
    return run().every(readings => readings.every(reading => reading.type === 'unparsed'))
  } catch {
    return true
  }
}

/** A mapping may return numbers, which become texts here. */
const numbersAsTexts = (_key: string, value: unknown): unknown => (typeof value === 'number' ? String(value) : value)
