import { decimalText, pythonFloat, PythonNumber } from '../../../base/python/python-text.js'
import { type Floats, mapNumbers } from '../datasets/columns/floats.js'

/** Gives the floating-point and decimal numbers of a column their Python texts. */
export const withPythonNumbers = (value: unknown, floats: Floats | undefined): unknown =>
  floats === undefined
    ? value
    : mapNumbers(value, floats, (number, of) => {
        if (typeof number === 'number' && of === true) return pythonFloat(number)
        if (of === true || !('digits' in of) || (typeof number !== 'number' && typeof number !== 'string'))
          return number
        const text = decimalText(number, of.digits)
        return new PythonNumber(number, text, `Decimal('${text}')`)
      })
