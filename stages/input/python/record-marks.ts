/** Notes facts about a doc's values that JSON does not hold, in the judge's record. */
import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import { pointerTo } from '../../../base/values/json-pointer.js'
import { ownValue } from '../../../base/values/named-values.js'
import type { RecordMarks } from '../../../cache/records.js'
import { type FloatFields, type Floats, isLeaf } from '../datasets/columns/floats.js'
import type { Doc } from '../tasks/doc.js'
import { findWire } from './python-docs.js'
import { wireLeaf } from './wire-leaf.js'

/** Collects the marks of one doc. */
interface Marking {
  readonly floats: string[]
  readonly wire: Record<string, Json>
}

/**
 * Returns the marks of a doc for scoring functions in Python.
 *
 * @param floats the types of the dataset's columns. A doc that a Python function made has its own.
 */
export function collectMarks(doc: Doc, floats: FloatFields = {}): Omit<RecordMarks, 'media'> {
  const marking: Marking = { floats: [], wire: {} }
  const wire = findWire(doc)
  if (wire !== undefined) markWire(wire, '', marking)
  else for (const [name, own] of Object.entries(floats)) markColumn(doc[name], own, pointerTo('', name), marking)
  return {
    ...(marking.floats.length > 0 && { floats: marking.floats }),
    ...(Object.keys(marking.wire).length > 0 && { wire: marking.wire }),
  }
}

function markColumn(value: unknown, floats: Floats, pointer: string, marking: Marking): void {
  if (isLeaf(floats)) {
    if (typeof value === 'number' || typeof value === 'string') mark(wireLeaf(value, floats), pointer, marking)
  } else if ('items' in floats) {
    if (isList(value))
      for (const [at, item] of value.entries()) markColumn(item, floats.items, pointerTo(pointer, at), marking)
  } else if (isObject(value)) {
    for (const [name, own] of Object.entries(floats.fields))
      markColumn(ownValue(value, name), own, pointerTo(pointer, name), marking)
  }
}

/** Marks a value that JSON cannot represent. For a whole floating-point number, only the pointer is stored. */
function mark(value: Json, pointer: string, { floats, wire }: Marking): void {
  const [[tag, content] = ['', null]] = isObject(value) ? Object.entries(value) : []
  if (!tag.startsWith('$')) return
  const isWhole = tag === '$float' && typeof content === 'string' && /^-?\d+\.0$/.test(content) && content !== '-0.0'
  if (isWhole) floats.push(pointer)
  else wire[pointer] = value
}

/** Marked values that are not stored: media, which are listed separately, and bytes. */
const unkept = ['$image', '$audio', '$bytes', '$file']

function markWire(value: Json, pointer: string, marking: Marking): void {
  if (isList(value)) return markItems(value, pointer, marking)
  if (!isObject(value)) return
  const [[tag, content = null] = ['', null], ...otherEntries] = Object.entries(value)
  if (!tag.startsWith('$') || otherEntries.length > 0) {
    for (const [name, item] of Object.entries(value)) markWire(item ?? null, pointerTo(pointer, name), marking)
  } else if (tag === '$tuple' || tag === '$set') {
    // `datasets` has lists alone.
    markItems(content as readonly Json[], pointer, marking)
  } else if (!unkept.includes(tag) && !(tag === '$dict' && holdsUnkept(content))) mark(value, pointer, marking)
}

/** The judge's record leaves media out of lists, which moves the other items. Such lists have no marks. */
function markItems(items: readonly Json[], pointer: string, marking: Marking): void {
  if (items.some(item => isObject(item) && unkept.some(tag => tag in item))) return
  for (const [at, item] of items.entries()) markWire(item, pointerTo(pointer, at), marking)
}

function holdsUnkept(value: Json): boolean {
  const text = JSON.stringify(value)
  return unkept.some(tag => text.includes(`"${tag}"`))
}
