import { withAsciiDigits } from '../text/python-number.js'

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const subscripts = '₀₁₂₃₄₅₆₇₈₉'
const raised = new RegExp(`([⁺⁻]?)([${superscripts}]+)`, 'g')
const lowered = new RegExp(`[${subscripts}]+`, 'g')
const vulgar = /[¼-¾⅐-⅞↉]/g

const convertDigits = (text: string, row: string): string =>
  Array.from(text, digit => String(row.indexOf(digit))).join('')

/**
 * Writes numbers in the signs of ASCII and LaTeX: digits of all scripts, full-width and Arabic separators, minus
 * signs, superscripts (`10⁶` is `10^{6}`), subscripts, and vulgar fractions (`2½` is `2\frac{1}{2}`).
 */
export function withPlainDigits(text: string): string {
  // Most answers have none of these signs.
  if (!/[^\x20-\x7e\s]/.test(text)) return text
  return withAsciiDigits(text)
    .replace(vulgar, sign => {
      const [top = '', bottom = ''] = sign.normalize('NFKC').split('⁄')
      return `\\frac{${top}}{${bottom}}`
    })
    .replace(
      raised,
      (_, sign: string, digits: string) => `^{${sign === '⁻' ? '-' : ''}${convertDigits(digits, superscripts)}}`,
    )
    .replace(lowered, digits => `_{${convertDigits(digits, subscripts)}}`)
    .replace(/[−–‒﹣－]/g, '-')
    .replace(/＋/g, '+')
    .replace(/(?<=\d)[٫．](?=\d)/g, '.')
    .replace(/(?<=\d)[٬，](?=\d{3})/g, ',')
    .replace(/(?<=\d)\s?[⁄∕／]\s?(?=\d)/g, '/')
    .replace(/[％٪]/g, '%')
    .replace(/[Ａ-Ｚａ-ｚ（）［］｛｝＝＜＞＄￥]/g, sign => sign.normalize('NFKC'))
}
