/** The most that OpenAI takes in one batch. See https://platform.openai.com/docs/guides/batch */
export const openaiBatchLimits = { requests: 50_000, bytes: 200_000_000 } as const
