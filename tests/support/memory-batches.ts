import type { BatchStore, ProviderBatch } from '../../cache/batches.js'
import type { Run } from '../../cache/records.js'
import type { Lease } from '../../cache/store.js'
import { leaseOf } from './memory-requests.js'
import type { MemoryHandle } from './memory-handle.js'

export function memoryBatches({ data, owner, read, write }: MemoryHandle): BatchStore {
  const held = (ref: number): readonly number[] =>
    [...data.batched].filter(([, batch]) => batch === ref).map(([request]) => request)
  const stored = (ref: number) => {
    const found = data.batches.get(ref)
    if (found === undefined) throw new Error(`there is no batch ${ref}`)
    return found
  }
  const show = (ref: number): ProviderBatch => ({ ...stored(ref).batch, open: held(ref).length })
  const change = (ref: number, fields: Partial<ProviderBatch>): ProviderBatch => {
    const entry = stored(ref)
    if (entry.owner !== owner) throw new Error(`batch ${entry.batch.name} was taken over by another process`)
    entry.batch = { ...entry.batch, ...fields }
    return show(ref)
  }
  const lease = (request: number, run: Run, ref: number): Lease => {
    const items = [...data.runs.values()].flatMap(each => each.items).filter(item => item.request === request)
    const item = items.find(each => each.run === run.ref) ?? items[0]
    return leaseOf(run, data.requests.get(request)!, { item, token: 0, batch: ref })
  }
  const isAskedBy = (request: number, run: Run): boolean => data.run(run).items.some(item => item.request === request)

  return {
    begin: (name, address) =>
      write(() => {
        const ref = ++data.numbers.batch
        const batch = { ref, name, address, state: 'filling' as const, requests: 0, createdAt: Date.now() }
        data.batches.set(ref, { batch, owner })
        return show(ref)
      }),
    add: ({ ref }, leases) =>
      write(() => {
        for (const { request, token } of leases)
          if (data.leases.get(request)?.token === token) {
            data.leases.delete(request)
            data.batched.set(request, ref)
          }
        return change(ref, { requests: held(ref).length })
      }),
    reject: ({ ref }, { request, item }, failure) =>
      write(() => {
        if (data.batched.get(request) === ref) {
          data.batched.delete(request)
          if (item.id !== 0) data.addFailure({ id: item.id, run: item.run, request }, failure, owner)
        }
        return change(ref, { requests: held(ref).length })
      }),
    advance: ({ ref }, fields) => write(() => change(ref, fields)),
    open: run =>
      read(() =>
        [...data.batches.keys()]
          .filter(ref => held(ref).some(request => run === undefined || isAskedBy(request, run)))
          .map(show),
      ),
    adopt: ({ ref }) =>
      write(() => {
        const entry = stored(ref)
        const isTaken = entry.owner !== undefined && entry.owner !== owner && data.isAlive(entry.owner)
        if (held(ref).length === 0 || isTaken) return undefined
        entry.owner = owner
        return show(ref)
      }),
    requests: ({ ref }, run, { after, limit }) =>
      read(() =>
        held(ref)
          .filter(request => request > after)
          .sort((a, b) => a - b)
          .slice(0, limit)
          .map(request => lease(request, run, ref)),
      ),
    find: ({ ref }, run, keys) =>
      read(() => {
        const found = keys.flatMap(digits => {
          const request = held(ref).find(number =>
            data.requests.get(number)?.keys.response.startsWith(`sha256:${digits}`),
          )
          return request === undefined ? [] : [[digits, lease(request, run, ref)] as const]
        })
        return new Map(found)
      }),
    close: ({ ref }) => write(() => held(ref).forEach(request => void data.batched.delete(request))),
  }
}
