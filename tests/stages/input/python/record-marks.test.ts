import { expect, test } from 'vitest'
import type { FloatFields } from '../../../../stages/input/datasets/columns/floats.js'
import { collectMarks } from '../../../../stages/input/python/record-marks.js'
import { wireDoc } from '../../../../stages/input/python/wire-doc.js'
import { wireRecord } from '../../../../stages/judge/python/wire-record.js'
import { callsOf, hasPython, labelsOf, pythonCode } from '../../../support/python-pool.js'

/** Values as the readers of Parquet and Arrow files give them, with the types of their columns. */
const doc = {
  price: 1.5,
  exact: ['0.10', '0.0000001'],
  big: '12345678901234567890',
  part: { n: 2, 'a/b': 3 },
  at: '2024-01-02 03:04:05.000006',
  fixed: '2024-01-02 03:04:05+05:30',
  zoned: '2024-07-02 03:04:05+02:00',
  day: '2024-01-02',
  clock: '03:04:05.000006',
  span: '-1 day, 23:59:59.000001',
}

const types: FloatFields = {
  price: { digits: 2 },
  exact: { items: { digits: 7 } },
  big: { whole: true },
  part: { fields: { n: true, 'a/b': true } },
  at: { time: { of: 'datetime', unit: 'us' } },
  fixed: { time: { of: 'datetime', unit: 's', zone: '+05:30' } },
  zoned: { time: { of: 'datetime', unit: 's', zone: 'Europe/Berlin' } },
  day: { time: { of: 'date' } },
  clock: { time: { of: 'time', unit: 'us' } },
  span: { time: { of: 'duration', unit: 'us' } },
}

const told = `
def told(doc):
    return {name: repr(value) for name, value in doc.items()}
`

test.skipIf(!hasPython('zoneinfo'))('prompts and scoring get times and decimals as datasets returns them', async () => {
  const { pool, ref } = await pythonCode(told)
  const context = { floats: types, locate: () => Promise.resolve(undefined), exchange: '/none' }
  const docs = [await wireDoc(doc, context, new Map()), await wireRecord(doc, collectMarks(doc, types))]
  const values = {
    price: "Decimal('1.50')",
    exact: "[Decimal('0.10'), Decimal('1E-7')]",
    big: '12345678901234567890',
    part: "{'n': 2.0, 'a/b': 3.0}",
    at: 'datetime.datetime(2024, 1, 2, 3, 4, 5, 6)',
    fixed: 'datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone(datetime.timedelta(seconds=19800)))',
    zoned: "datetime.datetime(2024, 7, 2, 3, 4, 5, tzinfo=zoneinfo.ZoneInfo(key='Europe/Berlin'))",
    day: 'datetime.date(2024, 1, 2)',
    clock: 'datetime.time(3, 4, 5, 6)',
    span: 'datetime.timedelta(days=-1, seconds=86399, microseconds=1)',
  }
  expect(await pool.call(ref('told'), callsOf(docs), labelsOf(2))).toEqual([{ ok: values }, { ok: values }])
})

test.skipIf(!hasPython('pandas'))(
  'times with nanoseconds are pandas values, and keep their type when returned',
  async () => {
    const { pool, ref } = await pythonCode(`${told}\ndef same(doc): return doc\n`)
    const given = {
      at: '2024-01-02 03:04:05.000000006+01:00',
      span: '1 days 00:00:00.000000001',
    }
    const floats: FloatFields = {
      at: { time: { of: 'datetime', unit: 'ns', zone: 'Europe/Berlin' } },
      span: { time: { of: 'duration', unit: 'ns' } },
    }
    const wire = await wireRecord(given, collectMarks(given, floats))
    expect(await pool.call(ref('told'), callsOf([wire]), labelsOf(1))).toEqual([
      {
        ok: {
          at: "Timestamp('2024-01-02 03:04:05.000000006+0100', tz='Europe/Berlin')",
          span: "Timedelta('1 days 00:00:00.000000001')",
        },
      },
    ])
    expect(await pool.call(ref('same'), callsOf([wire]), labelsOf(1))).toEqual([{ ok: wire }])
  },
)

test('a doc whose values are all JSON values has no type marks', () => {
  expect(collectMarks({ n: 1, text: 'a' }, { n: true })).toEqual({ floats: ['/n'] })
  expect(collectMarks({ n: 1.5, text: 'a' }, { n: true })).toEqual({})
})
