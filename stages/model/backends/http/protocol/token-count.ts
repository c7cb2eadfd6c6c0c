import { z } from 'zod'

/** Tokens as a provider counts them. What is no count is none: an answer that was paid for is not given up over it. */
export const tokenCount = z.number().nonnegative().nullish().catch(undefined)
