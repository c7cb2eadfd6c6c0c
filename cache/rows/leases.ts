import type { CodeKey, ConfigKey, InputKey, ResponseKey } from '../digest.js'
import { responseKey } from '../keys.js'
import type { GenerationKwargs, Input } from '../records.js'
import type { Lease, LeaseQuery } from '../store.js'
import { checkedText, DamagedRowError } from './sums.js'

/** A request with one of its items. */
export interface RequestRow {
  readonly item: number
  readonly task: number
  readonly doc_id: string
  readonly request: number
  readonly key: ResponseKey
  readonly sample: number
  readonly instance: number
  readonly input_key: InputKey
  readonly input: string
  readonly config: number
  readonly config_key: ConfigKey
  readonly code_key: CodeKey
}

/** An item without an answer, as a store reads it to lease its request. */
export interface PendingItem {
  readonly item: number
  readonly task: number
  readonly doc_id: string
  readonly request: number
  readonly owner: number | null
  readonly batch: number | null
  readonly failed: boolean | number
  /** Whether the doc must be read again before its requests can be sent. */
  readonly waits: boolean | number
}

/** Pending items by what can be done with them. */
export interface SortedItems<Row> {
  /** Items whose requests can be leased, by request. */
  readonly free: ReadonlyMap<number, Row>
  /** The number of items that other processes work on, by owner. */
  readonly elsewhere: ReadonlyMap<number, number>
  /** True if the run's present items end with these. Requests that wait are searched again when the input stage has committed further docs. */
  readonly exhausted: boolean
  /** The last item that was looked at. */
  readonly last: number | undefined
  /** The first item whose doc must be read again. */
  readonly firstWaiting: number | undefined
}

/** Sorts the items of one search in their order, up to the maximum number of leases. */
export function sortPending<Row extends PendingItem>(
  rows: readonly Row[],
  { limit, most = limit, isMeant }: Pick<LeaseQuery, 'limit' | 'most' | 'isMeant'>,
  { me, lives }: { readonly me: number; readonly lives: (row: Row) => boolean },
): SortedItems<Row> {
  // Two items can have the same request.
  const free = new Map<number, Row>()
  const elsewhere = new Map<number, number>()
  let firstWaiting: number | undefined
  let last: number | undefined
  for (const row of rows) {
    if (free.size === most) return { free, elsewhere, exhausted: firstWaiting !== undefined, last, firstWaiting }
    last = row.item
    if (row.waits) firstWaiting ??= row.item
    if (isMeant?.(row.task, row.doc_id) === false) continue
    if (row.waits || row.failed || row.batch !== null || row.owner === me) continue
    if (row.owner !== null && lives(row)) elsewhere.set(row.owner, (elsewhere.get(row.owner) ?? 0) + 1)
    else if (!free.has(row.request)) free.set(row.request, row)
  }
  return { free, elsewhere, exhausted: rows.length < limit || firstWaiting !== undefined, last, firstWaiting }
}

/** Returns the generation kwargs of a config by its number. Implementations cache them, because a run has few configs. */
export type FindGeneration = (config: number) => GenerationKwargs

/** Makes the lease of a request. @throws DamagedRowError if the request is damaged */
export function makeLease(
  row: RequestRow,
  by: {
    readonly token: number
    readonly run: number
    readonly task: string | undefined
    readonly findGeneration: FindGeneration
  },
): Lease {
  const { input_key: input, config_key: config, code_key: code, sample } = row
  // The key is checked, because an answer to another input under this key would be accepted for ever.
  if (responseKey({ input, config, code, sample }) !== row.key) throw new DamagedRowError('request', row.request)
  const { type, messages, continuation, tools, conversation, target } = JSON.parse(
    checkedText('instance', row.instance, row.input_key, row.input),
  ) as Input
  return {
    request: row.request,
    token: by.token,
    key: row.key,
    input: { type, messages, continuation, tools, conversation, target },
    generation: by.findGeneration(row.config),
    sample: row.sample,
    item: { run: by.run, id: row.item, task: by.task ?? '', doc: row.doc_id },
  }
}

/** Reads the generation kwargs from the preimage of a config. @throws DamagedRowError if it is damaged or missing */
export function parseGeneration(
  config: number,
  row: { readonly key: ConfigKey; readonly preimage: string } | undefined,
): GenerationKwargs {
  if (row === undefined) throw new DamagedRowError('preimage', config)
  const { generation } = JSON.parse(checkedText('preimage', config, row.key, row.preimage)) as {
    generation: GenerationKwargs
  }
  return generation
}
