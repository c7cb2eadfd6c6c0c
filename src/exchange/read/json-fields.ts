import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { parseExactJson } from '../../../stages/input/datasets/json/exact-json.js'
import { openJsonCursor } from '../../../stages/input/datasets/json/json-cursor.js'
import { textPieces } from '../../../stages/input/datasets/text-lines.js'

/**
 * Reads the fields of a file that is one JSON object, without the one field that may be longer than memory.
 *
 * @param long the field that is skipped
 * @param most reads this many fields at most, from the start
 */
export async function fieldsBeside(file: string, long: string, most = Infinity): Promise<JsonObject> {
  const cursor = openJsonCursor(textPieces(file))
  const locate = (): string => `${shownPath(file)}:${cursor.line()}`
  const expect = async (character: string): Promise<void> => {
    if ((await cursor.take()) !== character) throw new PipelineError('bundle', `${locate()}  expected "${character}"`)
  }
  const fields: Record<string, Json> = {}
  try {
    await expect('{')
    for (let count = 0; count < most && (await cursor.peek()) !== '}'; count++) {
      if (count > 0) await expect(',')
      const name = String(parseExactJson(await cursor.value(), locate))
      await expect(':')
      if (name === long) await cursor.skip()
      else fields[name] = parseExactJson(await cursor.value(), locate) as Json
    }
    return fields
  } finally {
    await cursor.close()
  }
}
