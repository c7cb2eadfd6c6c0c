import { ownValue } from '../../../../base/named-values.js'
import { isLeaf, type FloatLeaf, type Floats } from '../../datasets/columns/floats.js'
import { decimalText } from '../float-values.js'
import { timeValue } from '../time-values.js'
import { Float, Foreign, Written, type Value } from './values.js'

/** A field of a doc as a template sees it. `floats` says which numbers are floating-point ones, whose 5 is `5.0`, and what are times. */
export function fromDoc(value: unknown, floats?: Floats): Value {
  if (value === undefined || value === null) return null
  const leaf = floats !== undefined && isLeaf(floats) ? floats : undefined
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return leaf === undefined || leaf === true ? value : fromText(value, leaf)
  if (typeof value === 'number') return fromNumber(value, leaf)
  if (typeof value === 'bigint') return new Written(String(value))
  const items = floats !== undefined && floats !== true && 'items' in floats ? floats.items : undefined
  if (Array.isArray(value)) return value.map((item: unknown) => fromDoc(item, items))
  if (typeof value !== 'object' || ArrayBuffer.isView(value)) return new Foreign(value)
  const fields = floats !== undefined && floats !== true && 'fields' in floats ? floats.fields : {}
  return new Map(Object.entries(value).map(([name, item]) => [name, fromDoc(item, ownValue(fields, name))]))
}

/** A text that stands for something else. */
function fromText(text: string, leaf: Exclude<FloatLeaf, true>): Value {
  if ('whole' in leaf) return new Written(text)
  return 'digits' in leaf ? decimal(text, leaf.digits) : (timeValue(text, leaf.time) ?? text)
}

/** It is reckoned with as a number, and shown with all of its digits. */
function fromNumber(value: number, leaf: FloatLeaf | undefined): Value {
  if (leaf !== undefined && leaf !== true && 'digits' in leaf) return new Float(value, decimal(value, leaf.digits))
  return leaf === true || !Number.isInteger(value) ? new Float(value) : value
}

function decimal(value: number | string, digits: number): Written {
  const text = decimalText(value, digits)
  return new Written(text, `Decimal('${text}')`)
}
