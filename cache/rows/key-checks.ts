/** Computes the keys that rows must have, for a check of a whole store. */
import { digestOfBytes, sha256, type Sha256 } from '../digest.js'
import { responseKey, runKey, scoreKey } from '../keys.js'
import type { RunSpec } from '../records.js'
import type { RunRow } from './runs.js'
import type { RowSums } from './sums.js'

/** The argument is unknown because a damaged page may hold any value. */
export const keyIn = (bytes: unknown): Sha256<never> =>
  Buffer.isBuffer(bytes) && bytes.length === 32 ? digestOfBytes(bytes) : ('sha256:' as Sha256<never>)

export const computeTextDigest = (text: unknown): Sha256<never> | undefined =>
  typeof text === 'string' ? sha256(text) : undefined

export const preimageKinds = ['code', 'config', 'task', 'judge-config'] as const

/** A request with the keys that its own key contains. A key is null if the row it comes from is missing. */
export interface RequestParts {
  readonly id: number
  readonly key: Buffer
  readonly input: Buffer | null
  readonly config: Buffer | null
  readonly code: Buffer | null
  readonly sample: number
}

/** Computes the key of a request from its parts. @returns undefined if a part is missing */
export const keyOfParts = ({ input, config, code, sample }: Omit<RequestParts, 'id' | 'key'>): string | undefined =>
  input === null || config === null || code === null
    ? undefined
    : responseKey({ input: keyIn(input), config: keyIn(config), code: keyIn(code), sample })

/** The parts of a score's key. A part is null if the row it comes from is missing. */
export interface ScoreParts {
  /** Digests of 32 bytes each. */
  readonly answers: Buffer
  readonly record: Buffer | null
  readonly config: Buffer | null
  readonly scorer: Buffer | null
}

export function keyOfScore({ answers, record, config, scorer }: ScoreParts): string | undefined {
  if (!Buffer.isBuffer(answers) || record === null || config === null || scorer === null) return undefined
  const digests = Array.from({ length: Math.ceil(answers.length / 32) }, (_, index) =>
    keyIn(answers.subarray(32 * index, 32 * index + 32)),
  )
  return scoreKey({ answers: digests, record: keyIn(record), config: keyIn(config), scorer: keyIn(scorer) })
}

/** Computes the key of a run. @returns undefined if its texts are damaged */
export const keyOfRun = ({ sum: sumOf }: RowSums, { asked, provenance, sum }: RunRow): Sha256<'run'> | undefined =>
  sumOf(asked, provenance) === sum ? runKey(JSON.parse(asked) as RunSpec).key : undefined
