import { PipelineError } from '../../../../base/errors/errors.js'
import type { Category } from './cohen.js'

/** The agreement of several raters beyond chance. */
export interface FleissKappa {
  /** Fleiss' kappa: chance is the frequency of each category. */
  readonly fleiss: number
  /** Randolph's kappa: chance is the same for every category. */
  readonly randolph: number
}

/**
 * Computes the kappa of items that all have the same number of ratings: one list for each item. The raters need not be
 * the same for all items. `categories` is the number of categories that raters could choose from, by default those
 * that occur.
 *
 * Sources: Fleiss, Psychological Bulletin 76 (1971); Randolph, "Free-Marginal Multirater Kappa" (2005).
 *
 * @throws PipelineError without items, with fewer than two ratings of an item, or unequal numbers of them
 */
export function computeFleissKappa(
  ratings: readonly (readonly Category[])[],
  categories: number = new Set(ratings.flat()).size,
): FleissKappa {
  const raters = ratings[0]?.length ?? 0
  const unequal = ratings.findIndex(item => item.length !== raters)
  if (unequal >= 0)
    throw new PipelineError(
      'usage',
      `Item ${unequal + 1} has ${ratings[unequal]?.length ?? 0} ratings, and item 1 has ${raters}. Fleiss’ kappa needs as many for each item; Krippendorff’s alpha does not.`,
    )
  if (raters < 2) throw new PipelineError('usage', `Each item has ${raters} ratings, and agreement needs at least two.`)
  const totals = new Map<Category, number>()
  let agreeing = 0
  for (const item of ratings)
    for (const [category, count] of countCategories(item)) {
      totals.set(category, (totals.get(category) ?? 0) + count)
      agreeing += (count * (count - 1)) / (raters * (raters - 1))
    }
  if (categories < Math.max(2, totals.size))
    throw new PipelineError(
      'usage',
      `There are ${Math.max(categories, totals.size)} categories. Kappa needs at least two, and as many as occur.`,
    )
  const ratingCount = ratings.length * raters
  const observed = agreeing / ratings.length
  const byFrequency = [...totals.values()].reduce((sum, count) => sum + (count / ratingCount) ** 2, 0)
  if (totals.size < 2)
    throw new PipelineError('usage', 'All ratings are the same category, so that kappa is undefined.')
  return {
    fleiss: (observed - byFrequency) / (1 - byFrequency),
    randolph: (observed - 1 / categories) / (1 - 1 / categories),
  }
}

function countCategories(ratings: readonly Category[]): ReadonlyMap<Category, number> {
  const counts = new Map<Category, number>()
  for (const category of ratings) counts.set(category, (counts.get(category) ?? 0) + 1)
  return counts
}
