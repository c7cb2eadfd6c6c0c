import { bothFloats, type FloatFields } from '../columns/floats.js'
import { floatsInJson } from './json-floats.js'
import type { JsonItem } from './json-items.js'

/** Which numbers of rows are floating-point ones: what is one in any of them. What is no object is the column `text`. */
export async function floatsOfItems(items: AsyncIterable<JsonItem>): Promise<FloatFields> {
  let floats: FloatFields = {}
  for await (const { text } of items) {
    const own = floatsInJson(text.startsWith('{') ? text : `{"text":${text}}`)
    if (Object.keys(own).length > 0) floats = bothFloats(floats, own)
  }
  return floats
}
