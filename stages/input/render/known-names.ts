import { didYouMean } from '../../../base/suggest.js'
import { filterNames, testNames } from './python-filters.js'

/**
 * Walks a parsed template.
 *
 * @throws Error that names the first filter or test which there is not, with the nearest that there is.
 */
export function checkNames(node: unknown): void {
  if (Array.isArray(node)) node.forEach(checkNames)
  else if (node instanceof Map) [...node].forEach(checkNames)
  else if (typeof node === 'object' && node !== null) {
    const { type, filter, test } = node as Readonly<Record<string, unknown>>
    if (type === 'FilterExpression' || type === 'FilterStatement') check('filter', nameOf(filter), filterNames)
    if (type === 'TestExpression') check('test', nameOf(test), testNames)
    Object.values(node).forEach(checkNames)
  }
}

function check(kind: string, name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new Error(`no ${kind} "${name}".${didYouMean(name, known)}`)
}

function nameOf(node: unknown): string {
  if (typeof node !== 'object' || node === null) return ''
  if ('callee' in node) return nameOf(node.callee)
  return 'value' in node ? String(node.value) : ''
}
