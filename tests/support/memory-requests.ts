import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { differences } from '../../base/values/canonical-json.js'
import { answerDigest } from '../../cache/keys.js'
import type { ResponseKey } from '../../cache/digest.js'
import type { Failure, ResponseMeta, Run } from '../../cache/records.js'
import type {
  KeyParts,
  KnownRequest,
  Lease,
  LeaseQuery,
  LeaseResult,
  MissReason,
  MissReport,
  OfTask,
  RequestStore,
  StoredAnswer,
} from '../../cache/store.js'
import type { MemoryData, StoredItem, StoredRequest, StoredRun } from './memory-data.js'
import type { MemoryHandle } from './memory-handle.js'

export const memoryRequests = ({ data, owner, read, write }: MemoryHandle): RequestStore => ({
  lease: (run, query) => write(() => lease(data, owner, run, query)),
  lastFailure: () => read(() => data.numbers.failure),
  holds: leases =>
    read(() =>
      leases.map(({ request, token, batch }) => batch !== undefined || data.leases.get(request)?.token === token),
    ),
  commitResponse: (held, body, meta, kept) =>
    write(
      () => {
        release(data, held)
        data.admit(owner).answers += 1
        return addResponse(data, held.request, { body, meta })
      },
      () => kept?.(),
    ),
  commitFailure: (held, failure) =>
    write(() => {
      if (release(data, held) && held.item.id !== 0)
        data.addFailure({ id: held.item.id, run: held.item.run, request: held.request }, plain(failure), owner)
    }),
  release: leases => write(() => leases.forEach(held => release(data, held))),
  failWaiting: (run, failure) => write(() => failWaiting(data, owner, data.run(run), failure)),
  reopenOverBudget: run =>
    write(() => {
      data.failures = data.failures.filter(row => row.run !== run.ref || row.failure.class !== 'budget')
    }),
  failures: run => read(() => failuresOf(data, data.run(run))),
  answerOf: key =>
    read(() => {
      const number = data.requestNumbers.get(key)
      const answer = number === undefined ? undefined : data.responses.get(number)
      if (answer !== undefined) return { body: answer.body, meta: answer.meta }
      const row = data.failures.findLast(({ request, isPermanent }) => request === number && isPermanent)
      return row === undefined || number === undefined ? undefined : { failure: row.failure }
    }),
  keepAnswer: (run, doc, answer) =>
    write(() => {
      data.addDocs(run, { task: 0, docs: [doc], finished: true })
      const item = data.run(run).items.find(({ task, doc: index }) => task === 0 && index === doc.index)
      if (item?.request === undefined) throw new Error('an answer was kept without a request')
      addResponse(data, item.request, answer)
      const { body, meta } = data.responses.get(item.request)!
      return { body, meta }
    }),
  known: keys => read(() => keys.map(key => known(data, data.requestNumbers.get(key)))),
  async *answerMetas(run) {
    const page = await read(() => answerMetas(data, data.run(run)))
    if (page.length > 0) yield page
  },
  metFailures: run =>
    read(() =>
      data.failures
        .filter(row => row.run === run.ref && row.request !== undefined && row.failure.attempts > 0)
        .map(row => ({ task: data.run(run).items.find(({ id }) => id === row.item)?.task ?? 0, value: row.failure })),
    ),
  nextSample: () => read(() => Math.max(-1, ...[...data.requests.values()].map(({ keys }) => keys.sample)) + 1),
  explain: key => read(() => explain(data, key)),
  whyMiss: (a, b) => read(() => whyMiss(data, a, b)),
})

/** Copies a value as a store returns it, without undefined fields. */
const plain = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** @returns whether it is the first answer */
function addResponse(data: MemoryData, request: number, { body, meta }: StoredAnswer): boolean {
  if (data.responses.has(request)) return false
  const digest = answerDigest(body).key
  data.responses.set(request, { body: plain(body), meta: plain(meta), digest, seq: ++data.numbers.response })
  return true
}

/** @returns whether the lease was still held */
function release(data: MemoryData, { request, token, batch }: Lease): boolean {
  if (batch !== undefined) return data.batched.get(request) === batch && data.batched.delete(request)
  return data.leases.get(request)?.token === token && data.leases.delete(request)
}

const isPending = (data: MemoryData, item: StoredItem): item is StoredItem & { readonly request: number } =>
  item.request !== undefined && !data.responses.has(item.request)

function lease(data: MemoryData, owner: string, run: Run, query: LeaseQuery): LeaseResult {
  const { after, limit, most = limit, retryFailed, failuresAfter = 0 } = query
  data.work(run, owner)
  const { items } = data.run(run)
  const isLeftAlone = new Set(
    data.failures
      .filter(row => (row.owner === owner && row.id > failuresAfter) || (row.isPermanent && !retryFailed))
      .map(({ request }) => request),
  )
  const pending = items.filter(item => item.id > after && isPending(data, item)).slice(0, limit)
  const looked: StoredItem[] = []
  const leases: Lease[] = []
  const elsewhere = new Map<string, number>()
  for (const item of pending) {
    if (leases.length === most) break
    looked.push(item)
    const request = item.request === undefined ? undefined : data.requests.get(item.request)
    if (request === undefined || isLeftAlone.has(request.number) || data.batched.has(request.number)) continue
    if (query.isMeant?.(item.task, item.docId) === false) continue
    const holder = data.leases.get(request.number)?.owner
    if (holder === owner) continue
    if (holder !== undefined && data.isAlive(holder)) elsewhere.set(holder, (elsewhere.get(holder) ?? 0) + 1)
    else {
      const token = ++data.numbers.token
      data.leases.set(request.number, { owner, token })
      leases.push(leaseOf(run, request, { item, token }))
    }
  }
  const exhausted = looked.length === pending.length && looked.length < limit
  return {
    leases,
    next: (exhausted ? items : looked).at(-1)?.id ?? after,
    exhausted,
    elsewhere: [...elsewhere.values()].reduce((sum, count) => sum + count, 0),
    holders: [...elsewhere].map(([name, count]) => data.holder(name, count)),
  }
}

/** Makes the lease of a request. */
export function leaseOf(
  run: Run,
  { number, keys, asked }: StoredRequest,
  { item, token, batch }: { readonly item: StoredItem | undefined; readonly token: number; readonly batch?: number },
): Lease {
  const isOfRun = item?.run === run.ref
  return {
    request: number,
    token,
    key: keys.response,
    input: asked.input,
    generation: (JSON.parse(keys.config.preimage) as Pick<Lease, 'generation'>).generation,
    sample: keys.sample,
    item: {
      run: item?.run ?? run.ref,
      id: item?.id ?? 0,
      task: (isOfRun ? run.asked.tasks[item.task]?.name : undefined) ?? '',
      doc: item?.docId ?? '',
    },
    ...(batch === undefined ? {} : { batch }),
  }
}

function failWaiting(data: MemoryData, owner: string, { items }: StoredRun, failure: Failure): number {
  let failed = 0
  for (const item of items) {
    if (!isPending(data, item) || data.batched.has(item.request) || data.failureOf(item) !== undefined) continue
    const holder = data.leases.get(item.request)?.owner
    if (holder !== undefined && data.isAlive(holder)) continue
    data.addFailure(item, failure, owner)
    failed += 1
  }
  return failed
}

const failuresOf = (data: MemoryData, { run, items }: StoredRun) =>
  [...items]
    .sort((a, b) => a.task - b.task || a.doc - b.doc || a.choice - b.choice || a.sample - b.sample)
    .filter(item => item.request === undefined || !data.responses.has(item.request))
    .flatMap(item => {
      const found = data.failureOf(item)
      const { task, docId: doc, doc: index, choice, sample } = item
      return found === undefined
        ? []
        : [{ task: run.asked.tasks[task]?.name ?? '', doc, index, choice, sample, failure: found.failure }]
    })

function known(data: MemoryData, number: number | undefined): KnownRequest | undefined {
  if (number === undefined) return undefined
  const answer = data.responses.get(number)
  if (answer !== undefined) return { type: 'answered', meta: answer.meta }
  return data.failures.some(row => row.request === number && row.isPermanent) ? { type: 'failed' } : undefined
}

function answerMetas(data: MemoryData, { items }: StoredRun): readonly OfTask<ResponseMeta>[] {
  const seen = new Set<number>()
  return items.flatMap(({ task, request }) => {
    const answer = request === undefined || seen.has(request) ? undefined : data.responses.get(request)
    if (request === undefined || answer === undefined) return []
    seen.add(request)
    return [{ task, value: answer.meta }]
  })
}

function explain(data: MemoryData, key: ResponseKey): KeyParts | undefined {
  const request = data.requests.get(data.requestNumbers.get(key) ?? -1)
  if (request === undefined) return undefined
  const { input, config, code } = request.keys
  const part = ({ key: own, preimage }: { key: string; preimage: string }) => ({
    key: own,
    preimage: JSON.parse(preimage) as Json,
  })
  // Code has no preimage here.
  return { input: part(input), config: part(config), code: { key: code, preimage: null }, sample: request.keys.sample }
}

function whyMiss(data: MemoryData, a: Run, b: Run): MissReport {
  const explain = (request: number | undefined): Json | undefined => {
    const found = request === undefined ? undefined : data.requests.get(request)
    if (found === undefined) return undefined
    const { keys } = found
    return {
      input: JSON.parse(keys.input.preimage) as Json,
      config: JSON.parse(keys.config.preimage) as Json,
      code: keys.code,
      sample: keys.sample,
    }
  }
  const taskOf = (run: Run, task: number) => run.asked.tasks[task]?.name ?? ''
  const firstSample = ({ asked }: Run) => asked.selection.firstSample ?? 0
  const before = data.run(a).items
  const pairs = data.run(b).items.flatMap(item => {
    const name = taskOf(b, item.task)
    const ofTask = before.filter(({ task }) => taskOf(a, task) === name)
    const sample = item.sample - firstSample(b) + firstSample(a)
    const other =
      ofTask.find(({ request }) => request !== undefined && request === item.request) ??
      ofTask.find(at => at.docId === item.docId && at.choice === item.choice && at.sample === sample)
    return other === undefined ? [] : [{ name: `${name}/${item.docId}`, was: other.request, is: item.request }]
  })
  const reasons = new Map<string, { -readonly [K in keyof MissReason]: MissReason[K] }>()
  const differing = pairs.filter(({ was, is }) => was !== is)
  for (const { name: example, was, is } of differing)
    for (const { path, before: old, after } of differences(explain(was), explain(is))) {
      const reason = reasons.get(path)
      if (reason === undefined) reasons.set(path, { path, before: old, after, requests: 1, example, isUniform: true })
      else {
        reason.requests += 1
        reason.isUniform &&=
          canonicalJson([reason.before ?? null, reason.after ?? null]) === canonicalJson([old ?? null, after ?? null])
      }
    }
  return {
    shared: pairs.length,
    differing: differing.length,
    reasons: [...reasons.values()].sort((x, y) => y.requests - x.requests || (x.path < y.path ? -1 : 1)),
  }
}
