/** Stores the answers that processes of this machine left in files when they ended while the server was away. */
import { createReadStream, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Context } from '../../connection/context.js'
import { sumOfLine, type SpillHeader, type SpillLine } from './answer-spill.js'
import { insertAnswers } from './answers.js'
import { findNumbers } from '../interning.js'

/** The maximum number of answers of one transaction, and their size in characters. */
const most = { answers: 200, characters: 8 * 2 ** 20 }

/**
 * Stores the answers in the files of dead processes, and removes these files. Stored answers and incomplete lines are skipped.
 *
 * @returns the number of answers that were missing in the store
 */
export async function recoverAnswers(context: Context, folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  let storedAnswers = 0
  for (const name of readdirSync(folder).filter(fileName => fileName.endsWith('.jsonl'))) {
    const file = join(folder, name)
    const count = await recoverFile(context, file)
    if (count === undefined) continue
    storedAnswers += count
    rmSync(file, { force: true })
  }
  return storedAnswers
}

/** @returns undefined where the process that wrote the file lives and stores its answers itself */
async function recoverFile(context: Context, file: string): Promise<number | undefined> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  let isRead = false
  let storedAnswers = 0
  let batch: SpillLine[] = []
  let characters = 0
  for await (const text of lines) {
    const line = parseLine(text)
    if (!isRead) {
      isRead = true
      // Another process may have removed the file, or it has another format.
      if (line === undefined || !('owner' in line)) break
      if (await context.db.read(query => context.owners.isAliveKey(query, line.owner))) return undefined
      continue
    }
    if (line === undefined || 'owner' in line || sumOfLine(context, line) !== line.sum) continue
    batch.push(line)
    characters += text.length
    if (batch.length < most.answers && characters < most.characters) continue
    storedAnswers += await storeLines(context, batch)
    batch = []
    characters = 0
  }
  return storedAnswers + (batch.length === 0 ? 0 : await storeLines(context, batch))
}

/** The last line of a process that was killed may be cut off. */
function parseLine(text: string): SpillHeader | SpillLine | undefined {
  try {
    return JSON.parse(text) as SpillHeader | SpillLine
  } catch {
    return undefined
  }
}

const storeLines = (context: Context, lines: readonly SpillLine[]): Promise<number> =>
  context.db.write(async query => {
    const numbers = await findNumbers(
      query,
      'request',
      lines.map(({ key }) => key),
    )
    // The run may have been removed with its requests.
    const answers = lines.flatMap(({ key, digest, body, meta }) => {
      const request = numbers.get(key)
      return request === undefined ? [] : [{ request, digest, body, meta }]
    })
    if (answers.length === 0) return 0
    return (await insertAnswers(context, query, answers)).filter(isFirst => isFirst).length
  })
