import { digestOfBytes, hexDigits, type Sha256 } from '../../digest.js'
import type { Keyed } from '../../keys.js'
import { DamagedRowError } from '../../rows/sums.js'
import type { NamedPreimage } from '../../store.js'
import type { Query } from '../connection/query.js'

type KeyedTable = 'instance' | 'record' | 'preimage' | 'request' | 'score'

/** Stores texts by key. Existing texts stay. Call inside a write transaction. */
export async function internTexts(
  query: Query,
  table: 'instance' | 'record',
  texts: Iterable<Keyed<Sha256<string>>>,
): Promise<void> {
  const sorted = uniqueByKey(texts)
  if (sorted.length === 0) return
  await query(
    `INSERT INTO ${table} (key, preimage)
     SELECT decode(u.key, 'hex'), u.preimage FROM unnest($1::text[], $2::text[]) u(key, preimage)
     WHERE NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.key = decode(u.key, 'hex')) ON CONFLICT (key) DO NOTHING`,
    [sorted.map(({ key }) => hexDigits(key)), sorted.map(({ preimage }) => preimage)],
  )
}

/** Like {@link internTexts}, for the few preimages that many rows share. */
export async function internPreimages(query: Query, preimages: Iterable<NamedPreimage>): Promise<void> {
  const sorted = uniqueByKey(preimages)
  if (sorted.length === 0) return
  await query(
    `INSERT INTO preimage (key, kind, preimage)
     SELECT decode(u.key, 'hex'), u.kind, u.preimage FROM unnest($1::text[], $2::text[], $3::text[]) u(key, kind, preimage)
     WHERE NOT EXISTS (SELECT 1 FROM preimage t WHERE t.key = decode(u.key, 'hex')) ON CONFLICT (key) DO NOTHING`,
    [sorted.map(({ key }) => hexDigits(key)), sorted.map(({ kind }) => kind), sorted.map(({ preimage }) => preimage)],
  )
}

/** Removes duplicate keys and sorts by key, so that two transactions never deadlock. */
function uniqueByKey<T extends { readonly key: string }>(keyed: Iterable<T>): readonly T[] {
  const byKey = new Map([...keyed].map(each => [each.key, each]))
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Finds the numbers of rows by key. Unknown keys are left out. */
export async function findNumbers<Key extends Sha256<string>>(
  query: Query,
  table: KeyedTable,
  keys: Iterable<Key>,
): Promise<ReadonlyMap<Key, number>> {
  const digits = [...new Set(keys)].map(hexDigits)
  if (digits.length === 0) return new Map()
  const rows = await query<{ id: number; key: Buffer }>(
    `SELECT t.id, t.key FROM unnest($1::text[]) u(key) JOIN ${table} t ON t.key = decode(u.key, 'hex')`,
    [digits],
  )
  return new Map(rows.map(({ id, key }) => [digestOfBytes<string>(key) as Key, id]))
}

/** Returns the number of a key. @throws DamagedRowError if it is missing */
export function requireNumber<Key extends Sha256<string>>(
  numbers: ReadonlyMap<Key, number>,
  table: KeyedTable,
  key: Key,
): number {
  const number = numbers.get(key)
  if (number === undefined) throw new DamagedRowError(table, key)
  return number
}
