import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { CodeRevision } from '../../../cache/records.js'
import type { CorpusCase } from './cases.js'
import { corpusFile, families, mediaOf, readCorpus, recordedCase, writeCorpus, type Recorded } from './families.js'
import { openReplayer, type Outcome } from './replay.js'

/** Maximum difference from a recorded log-probability. The order of sums differs between processors. */
const logprobTolerance = 1e-3

/** The same for 8-bit networks, whose products processors round differently. */
const int8Tolerance = 0.3
/** The share of answers of 8-bit networks that may differ on another processor. */
const int8Share = 0.1

const isInt8 = (one: CorpusCase): boolean => one.args['dtype'] === 'int8'

/** Returns the names of recorded cases with another outcome now. */
export async function changedCases(name: string): Promise<readonly string[]> {
  const { recorded } = readCorpus(name)
  const outcomes = await replayAll(
    name,
    recorded.map(one => one.case),
  )
  return differing(
    recorded,
    outcomes.map(one => one.outcome),
  )
}

/** Returns the names of cases with another outcome, except for the few that only the processor changes. */
export function differing(recorded: readonly Recorded[], outcomes: readonly Outcome[]): readonly string[] {
  const changed = recorded
    .filter((one, index) => !isSame(one.outcome, outcomes[index], isInt8(one.case) ? int8Tolerance : logprobTolerance))
    .map(one => one.case)
  const few = recorded.filter(one => isInt8(one.case)).length * int8Share
  const told = changed.filter(isInt8).length > few ? changed : changed.filter(one => !isInt8(one))
  return told.map(({ name }) => name)
}

/**
 * Records the cases of a family again. While the revision stays, recorded cases must pass first, so that no change slips in.
 *
 * @returns the names of cases that fail. If there are any, nothing is written.
 */
export async function record(revision: CodeRevision): Promise<readonly string[]> {
  const { name, number } = revision
  const changed = isRecorded(revision) ? await changedCases(name) : []
  if (changed.length > 0) return changed
  const recorded = await replayAll(name, (await families[name]?.cases()) ?? [])
  writeCorpus({ revision: { name, number }, recorded })
  return []
}

/** Returns whether the family's file has this revision. */
export const isRecorded = ({ name, number }: CodeRevision): boolean =>
  existsSync(corpusFile(name)) && readCorpus(name).revision.number === number

async function replayAll(name: string, cases: readonly CorpusCase[]): Promise<readonly Recorded[]> {
  const family = families[name]
  if (family === undefined) throw new Error(`no golden corpus for the revision "${name}": add it to families.ts`)
  const replayer = await openReplayer(await mediaOf(family))
  try {
    const recorded: Recorded[] = []
    for (const one of cases) recorded.push(recordedCase(one, await replayer.replay(one)))
    return recorded
  } finally {
    await replayer.close()
  }
}

/** Compares requests byte by byte and answers field by field. */
export function isSame(one: Outcome, other: Outcome | undefined, tolerance = logprobTolerance): boolean {
  if (other === undefined) return false
  const [a, b] = [one.answer?.body.logprob ?? 0, other.answer?.body.logprob ?? 0]
  return Math.abs(a - b) <= tolerance && isDeepStrictEqual(withoutLogprob(one), withoutLogprob(other))
}

function withoutLogprob(outcome: Outcome): Outcome {
  if (outcome.answer?.body.logprob === undefined) return outcome
  return { ...outcome, answer: { ...outcome.answer, body: { ...outcome.answer.body, logprob: 0 } } }
}
