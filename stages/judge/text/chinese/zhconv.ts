import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { expectFileSync, fileTrouble } from '../../../../base/files/files.js'
import { sha256 } from '../../../../cache/digest.js'

/**
 * The path of zhconv's table, `zhcdict.json` of the Python package. The program does not contain it, because its
 * licence is the GPL.
 */
export const zhconvTable = z.strictObject({
  simplified_chinese: z.string(),
  /** The digest of the file, so that score keys change with its content. */
  sha256: z.string().optional(),
})

export type ZhconvTable = z.output<typeof zhconvTable>

const format = z.object({ zh2Hans: z.record(z.string(), z.string()), zh2CN: z.record(z.string(), z.string()) })

interface Words {
  readonly to: ReadonlyMap<string, string>
  /** The length of the longest word, in characters. */
  readonly longest: number
}

const wordsByTable = new Map<string, Words>()

/**
 * Converts Chinese to the characters and words of the mainland: 網路 becomes 网络. At each position it replaces the
 * longest word of the table that starts there; other characters are kept.
 *
 * Source: zhconv 1.4.3, `convert(text, 'zh-cn')`.
 *
 * @throws PipelineError if the table can't be read, or its digest is not `sha256`.
 */
export function mainlandChinese(text: string, table: ZhconvTable): string {
  const key = `${table.simplified_chinese}\n${table.sha256 ?? ''}`
  const words = wordsByTable.get(key) ?? readWords(table)
  wordsByTable.set(key, words)
  const characters = Array.from(text)
  let changed = ''
  for (let at = 0; at < characters.length;) {
    let length = Math.min(words.longest, characters.length - at)
    while (length > 1 && !words.to.has(characters.slice(at, at + length).join(''))) length--
    const phrase = characters.slice(at, at + length).join('')
    changed += words.to.get(phrase) ?? phrase
    at += length
  }
  return changed
}

function readWords(table: ZhconvTable): Words {
  const { zh2Hans, zh2CN } = readTable(table)
  const to = new Map([...Object.entries(zh2Hans), ...Object.entries(zh2CN)])
  const longest = Array.from(to.keys()).reduce((most, word) => Math.max(most, Array.from(word).length), 1)
  return { to, longest }
}

function readTable({ simplified_chinese: path, sha256: wanted }: ZhconvTable): z.output<typeof format> {
  const bytes = zhconvFile(path)
  if (wanted !== undefined && sha256(bytes) !== `sha256:${wanted}`)
    throw new PipelineError('config', `${path} has changed since this run began: start it again`)
  try {
    return format.parse(JSON.parse(bytes.toString('utf8')))
  } catch (error) {
    const what = 'is not the table of zhconv: its zhcdict.json is an object with "zh2Hans" and "zh2CN"'
    throw new PipelineError('config', `${path} ${what}`, { cause: error })
  }
}

/** Reads the file of a table. @throws PipelineError if it can't be read. */
export function zhconvFile(path: string): Buffer {
  try {
    expectFileSync(path)
    return readFileSync(path)
  } catch (error) {
    const hint = 'give the path of zhcdict.json, of the Python package zhconv'
    throw new PipelineError(
      'config',
      `the table of zhconv can't be read: ${path}: ${fileTrouble(error) ?? messageOf(error)}; ${hint}`,
      {
        cause: error,
      },
    )
  }
}
