import type { AnswerDigest, RecordKey, ResponseKey } from '../../digest.js'
import type { ResponseBody } from '../../records.js'
import type { Context } from '../connection/context.js'
import { checkedText } from '../work/interning.js'
import { checkedBody } from '../work/responses.js'
import { digestSql } from '../rows.js'

/** Where the texts of an item are, with what they must be. */
interface TextPlace {
  readonly record: number
  readonly record_key: RecordKey
  readonly request: number | null
  readonly seq: number | null
  readonly digest: AnswerDigest
}

/** The texts of items, each checked when it is asked for. */
export interface DocTexts {
  /** The preimage of the judge record. @throws DamagedRowError */
  record(place: TextPlace): string
  /** @throws DamagedRowError */
  answer(place: TextPlace): { readonly key: ResponseKey; readonly body: ResponseBody }
}

const recordsSql = 'SELECT c.id, c.preimage FROM json_each(?) j CROSS JOIN record c ON c.id = j.value'
const answersSql = `
  SELECT s.seq, ${digestSql('r.key')} AS key, s.body, s.meta, s.sum
  FROM json_each(?) j CROSS JOIN response s ON s.seq = j.value JOIN request r ON r.id = s.request`

/** Reads the records and answers of many items at once: a question for each costs more than what it asks for. */
export function docTexts(context: Context, places: readonly TextPlace[]): DocTexts {
  const numbers = (of: (place: TextPlace) => number | null): string => JSON.stringify([...new Set(places.map(of))])
  const records = new Map(
    context
      .sql<[number, string]>(recordsSql)
      .raw()
      .all(numbers(({ record }) => record)),
  )
  const answers = new Map(
    context
      .sql<[number, ResponseKey, string, string, number]>(answersSql)
      .raw()
      .all(numbers(({ seq }) => seq))
      .map(([seq, key, body, meta, sum]) => [seq, { key, body, meta, sum }]),
  )
  return {
    record: ({ record, record_key }) => checkedText('record', record, record_key, records.get(record) ?? ''),
    answer({ request, seq, digest }) {
      const row = answers.get(seq ?? 0)
      if (row === undefined) throw new Error('internal error: response vanished')
      const { key, body, meta, sum } = row
      return { key, body: checkedBody(context, { request, seq, digest, body, meta, sum }) }
    },
  }
}
