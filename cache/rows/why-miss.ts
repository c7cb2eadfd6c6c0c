import { differences, type Json } from '../../base/values/canonical-json.js'
import type { Run } from '../records.js'
import type { ExplainedKey, KeyParts, MissReason, MissReport } from '../store.js'

/** The requests of two runs for a doc that both have. */
export interface MissPair {
  /** `task/doc` */
  readonly name: string
  readonly before: number | null
  readonly after: number | null
}

/** Returns the preimage of a request's response key, with the keys inside it replaced by their own preimages. */
export type ExplainRequest = (request: number | null) => Promise<Json | undefined> | Json | undefined

/** Collects the preimage fields in which the requests of pairs differ. */
export async function reportMisses(pairs: AsyncIterable<MissPair>, explain: ExplainRequest): Promise<MissReport> {
  const reasons = new Map<string, { -readonly [K in keyof MissReason]: MissReason[K] }>()
  let shared = 0
  let differing = 0
  for await (const { name, before, after } of pairs) {
    shared += 1
    if (before === after) continue
    differing += 1
    for (const { path, before: was, after: is } of differences(await explain(before), await explain(after))) {
      const reason = reasons.get(path)
      if (reason === undefined) {
        reasons.set(path, { path, before: was, after: is, requests: 1, example: name, isUniform: true })
        continue
      }
      reason.requests += 1
      reason.isUniform &&= JSON.stringify([reason.before, reason.after]) === JSON.stringify([was, is])
    }
  }
  return {
    shared,
    differing,
    reasons: [...reasons.values()].sort((x, y) => y.requests - x.requests || (x.path < y.path ? -1 : 1)),
  }
}

/** Returns the first sample index of a run. It is above 0 for a run that samples anew. */
export const firstSample = ({ asked }: Run): number => asked.selection.firstSample ?? 0

/** The preimages of the parts of a request's key. */
export type RequestPreimages = Readonly<Record<'input' | 'config' | 'code', string>> & { readonly sample: number }

/** Parses the preimages of the parts of a request's key. */
export const explainedRequest = ({ input, config, code, sample }: RequestPreimages): Json => ({
  input: JSON.parse(input) as Json,
  config: JSON.parse(config) as Json,
  code: JSON.parse(code) as Json,
  sample,
})

/** The preimages of the parts of a request's key, with their keys. */
export type KeyRow = RequestPreimages & Readonly<Record<'input_key' | 'config_key' | 'code_key', string>>

/** Returns the parts of a response key with their preimages. */
export function explainedKey(row: KeyRow): KeyParts {
  const part = (name: 'input' | 'config' | 'code'): ExplainedKey => ({
    key: row[`${name}_key`],
    preimage: JSON.parse(row[name]) as Json,
  })
  return { input: part('input'), config: part('config'), code: part('code'), sample: row.sample }
}
