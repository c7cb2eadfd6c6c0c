/**
 * MME: two questions on each picture, one with the answer yes and one with no.
 *
 * Source: Fu et al. 2023 (https://arxiv.org/abs/2306.13394), `eval_tool/calculation.py`; lmms-eval 0.7.2, `tasks/mme/utils.py`.
 */

export const mmePerception: readonly string[] = [
  'existence',
  'count',
  'position',
  'color',
  'posters',
  'celebrity',
  'scene',
  'landmark',
  'artwork',
  'OCR',
]
export const mmeCognition: readonly string[] = [
  'commonsense_reasoning',
  'numerical_calculation',
  'text_translation',
  'code_reasoning',
]

/** One question. */
export interface MmeAnswer {
  readonly category: string
  /** What the questions of one picture have in common. */
  readonly picture: string
  readonly isRight: boolean
}

/** 0 to 100 each; a category's score is their sum, 0 to 200. */
export interface MmeCategory {
  readonly accuracy: number
  /** The share of pictures with both questions right. */
  readonly accuracyPlus: number
}

/**
 * Accuracy and accuracy+ by category.
 *
 * @throws Error where a picture has not exactly two questions: half a pair says nothing of accuracy+.
 */
export function mmeCategories(answers: Iterable<MmeAnswer>): ReadonlyMap<string, MmeCategory> {
  const categories = new Map<string, Map<string, { asked: number; right: number }>>()
  for (const { category, picture, isRight } of answers) {
    const pictures = categories.get(category) ?? new Map<string, { asked: number; right: number }>()
    const counts = pictures.get(picture) ?? { asked: 0, right: 0 }
    categories.set(
      category,
      pictures.set(picture, { asked: counts.asked + 1, right: counts.right + (isRight ? 1 : 0) }),
    )
  }
  return new Map(Array.from(categories, ([category, pictures]) => [category, categoryOf(category, pictures)]))
}

function categoryOf(
  category: string,
  pictures: ReadonlyMap<string, { readonly asked: number; readonly right: number }>,
): MmeCategory {
  let right = 0
  let bothRight = 0
  for (const [picture, counts] of pictures) {
    if (counts.asked !== 2) {
      throw new Error(
        `picture "${picture}" of ${category} has ${counts.asked} question${counts.asked === 1 ? '' : 's'}, and MME ` +
          'scores pairs: choose docs by whole pictures',
      )
    }
    right += counts.right
    bothRight += counts.right === 2 ? 1 : 0
  }
  return { accuracy: (50 * right) / pictures.size, accuracyPlus: (100 * bothRight) / pictures.size }
}

/** The sum over categories of accuracy + accuracy+: 0 to 200 for each category. */
export function mmeScore(answers: Iterable<MmeAnswer>): number {
  let total = 0
  for (const { accuracy, accuracyPlus } of mmeCategories(answers).values()) total += accuracy + accuracyPlus
  return total
}
