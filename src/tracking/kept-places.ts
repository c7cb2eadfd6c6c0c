/** Remembers in the store's folder what was sent where, so that nothing is sent twice. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { systemCode } from '../../base/errors/errors.js'
import { writeAtomically } from '../../cache/media/atomic-file.js'
import type { Kept } from './tracker.js'

const schema = z.record(z.string(), z.object({ id: z.string(), where: z.string(), digest: z.string() }))

/** By destination. */
export type KeptPlaces = Readonly<Record<string, Kept>>

/** The file of one judgement of a run. A run that is evaluated again after its removal has the same id, and other results. */
const keptFile = (dir: string, name: string): string => join(dir, 'tracked', `${name}.json`)

/** Reads what was sent of a run. A file that cannot be read is as if nothing was sent: trackers find their runs by other means, or make new ones. */
export async function readKeptPlaces(dir: string, name: string): Promise<KeptPlaces> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(keptFile(dir, name), 'utf8')))
    return parsed.success ? parsed.data : {}
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return {}
    throw error
  }
}

/** Adds to what was sent of a run. */
export async function keepPlace(dir: string, name: string, destination: string, kept: Kept): Promise<void> {
  const places = { ...(await readKeptPlaces(dir, name)), [destination]: kept }
  await writeAtomically(keptFile(dir, name), write => write(Buffer.from(`${JSON.stringify(places, undefined, 2)}\n`)))
}
