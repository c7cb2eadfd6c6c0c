/** Records the results sent to each tracker in the store's work folder, so that nothing is sent twice. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { systemCode } from '../../base/errors/errors.js'
import { writeAtomically } from '../../cache/media/atomic-file.js'
import type { TrackerRun } from './tracker.js'

const schema = z.record(z.string(), z.object({ id: z.string(), where: z.string(), digest: z.string() }))

/** The sent results by destination. */
export type SentResults = Readonly<Record<string, TrackerRun>>

/** Returns the file of one judgement of a run. It goes by name, because a run evaluated again after its removal has the same id but other results. */
const sentResultsFile = (dir: string, name: string): string => join(dir, 'tracked', `${name}.json`)

/** Reads the sent results of a run. An unreadable file counts as empty. Trackers then find their runs by other means, or make new ones. */
export async function readSentResults(dir: string, name: string): Promise<SentResults> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(sentResultsFile(dir, name), 'utf8')))
    return parsed.success ? parsed.data : {}
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return {}
    throw error
  }
}

/** Records a sent result of a run. */
export async function storeSentResult(
  dir: string,
  name: string,
  destination: string,
  sentResult: TrackerRun,
): Promise<void> {
  const results = { ...(await readSentResults(dir, name)), [destination]: sentResult }
  await writeAtomically(sentResultsFile(dir, name), write =>
    write(Buffer.from(`${JSON.stringify(results, undefined, 2)}\n`)),
  )
}
