/** Numbers and times of a dataset's columns as Python gets them from `datasets`. */
import type { Json } from '../../../base/values/canonical-json.js'
import type { FloatLeaf } from '../datasets/columns/floats.js'
import type { TimeKind } from '../datasets/columns/times.js'
import { decimalText, floatText } from '../../../base/python/python-text.js'

/** A number as JSON, or marked where JSON would take it for another one. */
export const wireNumber = (value: number, isFloat: boolean): Json =>
  !Number.isFinite(value) || (isFloat && Number.isInteger(value)) || Object.is(value, -0)
    ? { $float: floatText(value) }
    : value

/** Converts a value of a typed column: floating-point numbers, decimals, large integers, times. */
export function wireLeaf(value: number | string, leaf: FloatLeaf): Json {
  if (leaf === true) return typeof value === 'number' ? wireNumber(value, true) : value
  if ('digits' in leaf) return { $decimal: decimalText(value, leaf.digits) }
  if (typeof value === 'number') return wireNumber(value, false)
  if ('time' in leaf) return wireTime(value, leaf.time)
  return /^-?\d+$/.test(value) ? { $int: value } : value
}

const length = /^(?:(-?\d+) days?,? \+?)?(\d+):(\d\d):(\d\d)(?:\.(\d{6})\d*)?$/

/** @param text what Python's `str` prints */
function wireTime(text: string, kind: TimeKind): Json {
  switch (kind.of) {
    case 'date':
      return { $date: text }
    case 'time':
      return { $time: text }
    case 'datetime': {
      const zone = kind.zone === undefined || /^[+-]/.test(kind.zone) ? [] : [kind.zone]
      // `datasets` returns pyarrow's values, which are pandas objects for times in nanoseconds.
      if (kind.unit === 'ns') return { $pandas: ['Timestamp', text, ...zone] }
      return { $datetime: zone.length === 0 ? text : [text, ...zone] }
    }
    case 'duration': {
      if (kind.unit === 'ns') return { $pandas: ['Timedelta', text] }
      const match = length.exec(text)
      if (match === null) return text
      const [days = 0, hours = 0, minutes = 0, seconds = 0, microseconds = 0] = match
        .slice(1)
        .map(part => Number((part as string | undefined) ?? 0))
      return { $timedelta: [days, hours * 3_600 + minutes * 60 + seconds, microseconds] }
    }
  }
}
