import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import type { MmeAnswer } from '../../helpers/mme.js'

const answer = z.object({ category: z.string(), picture: z.string(), score: z.number() })

/** MME's answers out of docs' values, `{category, picture, score}`. */
export const mmeAnswers = (values: readonly Json[]): readonly MmeAnswer[] =>
  values.map(value => {
    const { category, picture, score } = answer.parse(value)
    return { category, picture, isRight: score === 1 }
  })
