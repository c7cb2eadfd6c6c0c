import { decimalText, pythonFloat, PythonNumber } from '../../../base/python/python-text.js'
import { type Floats, mapNumbers } from '../datasets/columns/floats.js'

/** Gives the floating-point and decimal numbers of a column their Python texts. */
export const withPythonNumbers = (value: unknown, floats: Floats | undefined): unknown =>
  floats === undefined
    ? value
    : mapNumbers(value, floats, (one, of) => {
        if (typeof one === 'number' && of === true) return pythonFloat(one)
        if (of === true || !('digits' in of) || (typeof one !== 'number' && typeof one !== 'string')) return one
        const text = decimalText(one, of.digits)
        return new PythonNumber(one, text, `Decimal('${text}')`)
      })
