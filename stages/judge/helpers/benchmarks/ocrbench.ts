import { stripWhiteSpace } from '../../../../base/python/white-space.js'

/**
 * Returns whether an answer contains one of the target texts, by the rules of OCRBench. Full-width ASCII counts as
 * ASCII, and case is ignored. For formulas (data set HME100k) white space is removed and case is kept.
 *
 * Source: Liu et al. 2023 (https://arxiv.org/abs/2305.07895); lmms-eval 0.7.2, `tasks/ocrbench/utils.py`.
 */
export function isOcrBenchRight(
  response: string,
  { answers, dataset }: { readonly answers: readonly string[]; readonly dataset: string },
): boolean {
  const plain = dataset === 'HME100k' ? plainFormula : plainText
  const plainResponse = plain(stripWhiteSpace(response))
  return answers.some(answer => plainResponse.includes(plain(answer)))
}

const plainFormula = (text: string): string => stripWhiteSpace(text).replace(/[\n ]/g, '')

const plainText = (text: string): string => stripWhiteSpace(halfWidth(text).toLowerCase()).replaceAll('\n', ' ')

const halfWidth = (text: string): string =>
  text.replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0)).replaceAll('\u3000', ' ')
