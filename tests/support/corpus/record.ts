import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { CodeRevision } from '../../../cache/records.js'
import type { CorpusCase } from './cases.js'
import { corpusFile, families, mediaOf, readCorpus, recordedCase, writeCorpus, type Recorded } from './families.js'
import { openReplayer, type Outcome } from './replay.js'

/** How far a log-probability may be from the recorded one: the order of sums differs between processors. */
const logprobTolerance = 1e-3

/** The same for 8-bit networks, whose products are rounded differently by different processors. */
const int8Tolerance = 0.3
/** The share of answers of 8-bit networks that may be other ones on another processor. */
const int8Share = 0.1

const isInt8 = (one: CorpusCase): boolean => one.args['dtype'] === 'int8'

/** The names of recorded cases that come to something else now. */
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

/** The names of recorded cases with another outcome, without the few that only the processor changes. */
export function differing(recorded: readonly Recorded[], outcomes: readonly Outcome[]): readonly string[] {
  const changed = recorded
    .filter((one, index) => !isSame(one.outcome, outcomes[index], isInt8(one.case) ? int8Tolerance : logprobTolerance))
    .map(one => one.case)
  const few = recorded.filter(one => isInt8(one.case)).length * int8Share
  const told = changed.filter(isInt8).length > few ? changed : changed.filter(one => !isInt8(one))
  return told.map(({ name }) => name)
}

/**
 * Records the cases of a family anew. While the revision stays, what is recorded must hold first, so that no change slips in.
 *
 * @returns the names of cases that do not hold. Then nothing is written.
 */
export async function record(revision: CodeRevision): Promise<readonly string[]> {
  const { name, number } = revision
  const changed = isRecorded(revision) ? await changedCases(name) : []
  if (changed.length > 0) return changed
  const recorded = await replayAll(name, (await families[name]?.cases()) ?? [])
  writeCorpus({ revision: { name, number }, recorded })
  return []
}

/** Whether the family's file is of this revision. */
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

/** Requests byte by byte, answers field by field. */
export function isSame(one: Outcome, other: Outcome | undefined, tolerance = logprobTolerance): boolean {
  if (other === undefined) return false
  const [a, b] = [one.answer?.body.logprob ?? 0, other.answer?.body.logprob ?? 0]
  return Math.abs(a - b) <= tolerance && isDeepStrictEqual(withoutLogprob(one), withoutLogprob(other))
}

function withoutLogprob(outcome: Outcome): Outcome {
  if (outcome.answer?.body.logprob === undefined) return outcome
  return { ...outcome, answer: { ...outcome.answer, body: { ...outcome.answer.body, logprob: 0 } } }
}
