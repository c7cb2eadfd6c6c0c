import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { mediaIn } from '../../cache/bundle/media.js'
import type { MediaDigest } from '../../cache/digest.js'
import { readRememberedMedia } from '../../cache/media/unused-media.js'
import type { Garbage, GarbageQuery } from '../../cache/store.js'
import type { MemoryData } from './memory-data.js'

const text = (value: unknown): string => canonicalJson(JSON.parse(JSON.stringify(value)) as Json)

/** Frees what no run refers to, as simply as it can be written. */
export function collectMemoryGarbage(data: MemoryData, owner: string, { dryRun, without = [] }: GarbageQuery): Garbage {
  const gone = new Set(without.map(({ ref }) => ref))
  const runs = [...data.runs.values()].filter(({ run }) => !gone.has(run.ref))
  const judgements = [...data.judgements.values()].filter(({ judgement }) => !gone.has(judgement.run))
  const items = runs.flatMap(run => run.items)
  const usedRequests = new Set(items.map(({ request }) => request))
  for (const [request, lease] of data.leases) if (data.isAlive(lease.owner)) usedRequests.add(request)
  for (const request of data.batched.keys()) usedRequests.add(request)
  const usedScores = new Set(judgements.flatMap(({ verdicts }) => [...verdicts.values()]))
  const usedRecords = new Set([
    ...items.map(({ record }) => record),
    ...judgements.flatMap(({ revisions }) => [...revisions.values()]),
  ])
  const requests = [...data.requests.keys()].filter(number => !usedRequests.has(number))
  const responses = requests.filter(number => data.responses.has(number))
  const scores = [...data.scores.keys()].filter(key => !usedScores.has(key))
  const records = [...data.records.keys()].filter(key => !usedRecords.has(key))

  const used = new Set<MediaDigest>()
  for (const [number, { asked }] of data.requests)
    if (usedRequests.has(number))
      for (const part of [asked.input, data.responses.get(number)?.body])
        for (const digest of mediaIn(text(part ?? null))) used.add(digest)
  const values = [...data.values].flatMap(([name, value]) =>
    /^(derived|upright) /.test(name) ? (readRememberedMedia(name, value) ?? []) : [],
  )
  for (const { name, media, source } of values)
    if (name.startsWith('derived ') && (source === undefined || used.has(source)))
      for (const digest of media) used.add(digest)
  const media = [...data.media].filter(([digest]) => !used.has(digest))
  const works = [...data.working].some(([, owners]) => owners.has(owner))
  const users = [...data.owners]
    .filter(([name, { isAlive }]) => isAlive && (name !== owner || works))
    .map(([, { pid }]) => ({ host: 'here', pid }))
  const isFreeing = !dryRun && users.length === 0
  if (!dryRun) {
    for (const number of requests) {
      const key = data.requests.get(number)?.keys.response
      if (key !== undefined) data.requestNumbers.delete(key)
      for (const map of [data.requests, data.responses, data.leases]) map.delete(number)
    }
    for (const key of scores) data.scores.delete(key)
    for (const key of records) data.records.delete(key)
    const kept = new Set([...data.requests.values()].map(({ keys }) => `{"response":"${keys.response}"}`))
    for (const [name, value] of data.values) if (name.startsWith('sent ') && !kept.has(value)) data.values.delete(name)
  }
  if (isFreeing) {
    for (const [digest] of media) data.media.delete(digest)
    for (const { name, media: named } of values)
      if (named.some(digest => !data.media.has(digest))) data.values.delete(name)
  }
  const counted = dryRun || isFreeing ? media : []
  return {
    ...{ requests: requests.length, responses: responses.length, scores: scores.length, records: records.length },
    rowBytes: 0,
    media: { files: counted.length, bytes: counted.reduce((sum, [, { length }]) => sum + length, 0) },
    users,
  }
}
