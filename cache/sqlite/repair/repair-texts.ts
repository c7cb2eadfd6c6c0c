import { digestBytes, type Sha256 } from '../../digest.js'
import { codeKey, judgeConfigKey } from '../../keys.js'
import type { RunSpec } from '../../records.js'
import type { Context } from '../connection/context.js'
import { requestPartsSql } from './row-checks.js'
import { repointRecord } from './restore.js'
import { dropRequest, expectBack, isPaid, rewind, invalidateDocs } from './invalidate.js'
import { readRules } from '../../rows/judging/rules-text.js'
import {
  type RequestParts,
  type ScoreParts,
  computeTextDigest,
  keyIn,
  keyOfParts,
  keyOfScore,
  preimageKinds,
} from '../../rows/key-checks.js'

type TextTable = 'preimage' | 'instance' | 'record'

interface TextRow {
  readonly key: Buffer
  readonly kind: string
  readonly preimage: string
}

/**
 * Repairs a row whose text does not match its key. Rows that refer to it decide which of the two is right, because
 * their own keys contain its key. A wrong key is corrected at once. A wrong text is blanked, and restored when it is
 * known again. If no row refers to it, the row is deleted and made again later.
 */
export function repairText(context: Context, table: TextTable, id: number): void {
  const row = context
    .sql<TextRow>(
      `SELECT key, ${table === 'preimage' ? 'kind' : "'code'"} AS kind, preimage FROM ${table} WHERE id = ?`,
    )
    .get(id)
  if (row === undefined) return
  const [key, actual] = [keyIn(row.key), computeTextDigest(row.preimage)]
  if (actual === key) setKind(context, id, row)
  else if (actual !== undefined && isWitnessed(context, { table, id, key: actual }))
    rekey(context, { table, id, key: actual })
  else if (isWitnessed(context, { table, id, key })) blank(context, table, id, key)
  else context.sql(`DELETE FROM ${table} WHERE id = ?`).run(id)
}

function setKind(context: Context, id: number, { preimage }: TextRow): void {
  const fields = Object.keys(JSON.parse(preimage) as object)
  const kind: (typeof preimageKinds)[number] = fields.includes('model')
    ? 'config'
    : fields.includes('yaml')
      ? 'task'
      : fields.includes('files')
        ? 'code'
        : 'judge-config'
  context.sql('UPDATE preimage SET kind = ? WHERE id = ?').run(kind, id)
}

/** A row with a key that may be the right one. */
interface Claim {
  readonly table: TextTable
  readonly id: number
  readonly key: Sha256<never>
}

function isWitnessed(context: Context, claim: Claim): boolean {
  const { table } = claim
  if (table === 'record') return isScored(context, claim, 'record')
  if (table === 'instance') return isAsked(context, claim, 'instance')
  return (
    namedPreimages(context).has(claim.key) ||
    isAsked(context, claim, 'config') ||
    isAsked(context, claim, 'code') ||
    isScored(context, claim, 'config') ||
    isScored(context, claim, 'scorer')
  )
}

/** The maximum number of referring rows to check. At least one of them should be undamaged. */
const witnesses = 100

function isAsked(context: Context, { id, key }: Claim, column: 'instance' | 'config' | 'code'): boolean {
  const part = column === 'instance' ? 'input' : column
  return context
    .sql<RequestParts>(`${requestPartsSql} WHERE r.${column} = ? LIMIT ${witnesses}`)
    .all(id)
    .some(row => keyOfParts({ ...row, [part]: digestBytes(key) }) === keyIn(row.key))
}

function isScored(context: Context, { id, key }: Claim, column: 'record' | 'config' | 'scorer'): boolean {
  return context
    .sql<ScoreParts & { readonly key: Buffer }>(
      `SELECT z.key, z.answers, c.key AS record, g.key AS config, o.key AS scorer
       FROM score z LEFT JOIN record c ON c.id = z.record LEFT JOIN preimage g ON g.id = z.config LEFT JOIN preimage o ON o.id = z.scorer
       WHERE z.${column} = ? LIMIT ${witnesses}`,
    )
    .all(id)
    .some(row => keyOfScore({ ...row, [column]: digestBytes(key) }) === keyIn(row.key))
}

/** Lists the keys that runs and judgements name, with their texts if the judgement contains them. */
function namedPreimages(context: Context): ReadonlyMap<string, string | undefined> {
  const textsByKey = new Map<string, string | undefined>()
  for (const { asked } of context.sql<{ asked: string }>('SELECT asked FROM run').all()) {
    const { code, codes = {}, tasks } = JSON.parse(asked) as RunSpec
    for (const key of [code, ...Object.values(codes), ...tasks.map(({ identity }) => identity)])
      textsByKey.set(key, undefined)
  }
  for (const { tasks } of context.sql<{ tasks: string }>('SELECT DISTINCT tasks FROM judgement').all()) {
    for (const { config, scorer } of readRules(tasks))
      for (const { key, preimage } of [judgeConfigKey(config), codeKey(scorer)]) textsByKey.set(key, preimage)
  }
  return textsByKey
}

function rekey(context: Context, { table, id, key }: Claim): void {
  const bytes = digestBytes(key)
  const other = context.sql<{ id: number }>(`SELECT id FROM ${table} WHERE key = ?`).get(bytes)?.id
  if (other === undefined) {
    context.sql(`UPDATE ${table} SET key = ? WHERE id = ?`).run(bytes, id)
    return
  }
  const move = (child: string, column: string): void =>
    void context.sql(`UPDATE ${child} SET ${column} = ? WHERE ${column} = ?`).run(other, id)
  if (table === 'record') repointRecord(context, id, other)
  else if (table === 'instance') move('request', 'instance')
  else for (const [child, column] of preimageUses) move(child, column)
  context.sql(`DELETE FROM ${table} WHERE id = ?`).run(id)
}

const preimageUses = [
  ['request', 'config'],
  ['request', 'code'],
  ['score', 'config'],
  ['score', 'scorer'],
] as const

function blank(context: Context, table: TextTable, id: number, key: Sha256<never>): void {
  const namedText = table === 'preimage' ? namedPreimages(context).get(key) : undefined
  context.sql(`UPDATE ${table} SET preimage = ? WHERE id = ?`).run(namedText ?? '', id)
  if (namedText !== undefined) return
  expectBack(context)
  if (table === 'record') {
    rewind(context, 'i.record = ?', id)
    // Docs that are not judged yet would be judged without their target.
    const unjudged =
      'NOT EXISTS (SELECT 1 FROM verdict v JOIN judgement j ON j.id = v.judgement WHERE j.run = i.run AND v.task = i.task AND v.doc = i.doc)'
    invalidateDocs(context, `i.record = ? AND ${unjudged}`, id)
    return
  }
  const uses = table === 'instance' ? 'instance = @id' : '@id IN (config, code)'
  const requests = context.sql<{ id: number }>(`SELECT id FROM request WHERE ${uses}`).all({ id })
  // Requests that are not sent yet would be sent without their prompt.
  for (const request of requests) if (!isPaid(context, request.id)) dropRequest(context, request.id)
  rewind(context, `i.request IN (SELECT id FROM request WHERE ${uses.replaceAll('@id', '?')})`, id)
}
