/** Formats in which fake servers return log-probabilities of a prompt, modelled on real servers. */
export type CompletionsKind =
  /** OpenAI: `echo`, with the offsets of tokens in the text. */
  | 'echo'
  /** vLLM: `echo`; a beginning-of-text token is among the tokens and counted in the offsets. */
  | 'echo-bos'
  /**
   * llama-cpp-python with a model without a beginning-of-text token: beside each token stands the distribution of the next one, and
   * the generated token is missing.
   */
  | 'echo-shifted'
  /** SGLang: `echo`; all offsets are -1. */
  | 'echo-no-offsets'
  /** vLLM's own field; `echo` is refused. */
  | 'prompt_logprobs'
  /** llama.cpp: `echo` is ignored without a word, and log-probabilities have the form of chats. */
  | 'ignores-echo'

export interface FakeCompletions {
  readonly kind: CompletionsKind
  /** Natural logarithm of a token's probability. A token above -0.7 is the most likely one. */
  readonly logprobOf: (token: string) => number
}

/** Splits a text into words with their preceding space, as most tokenizers split English. */
export const fakeTokens = (text: string): readonly string[] => text.match(/ ?[^\s]+|\s/g) ?? []

const rival = { text: ' the', logprob: -0.7 }
const generated = ' well'

/** Returns the reply of `/completions` to a body, with its status. */
export function answerCompletion(
  body: string,
  fake: FakeCompletions,
): { readonly status: number; readonly body: object } {
  const request = JSON.parse(body) as { prompt: string; echo?: boolean; prompt_logprobs?: number }
  if (fake.kind === 'ignores-echo') return { status: 200, body: completionBody(generated, chatForm) }
  if (fake.kind === 'prompt_logprobs')
    return request.echo === true
      ? { status: 400, body: { error: { message: 'echo is not supported', code: null } } }
      : { status: 200, body: completionBody(generated, null, ownForm(request, fake)) }
  if (request.echo !== true) return { status: 200, body: completionBody(generated, null) }
  return { status: 200, body: completionBody(request.prompt + generated, echoForm(request.prompt, fake)) }
}

const completionBody = (text: string, logprobs: object | null, choice: object = {}): object => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 0,
  model: 'fake',
  choices: [{ index: 0, text, logprobs, finish_reason: 'length', ...choice }],
  usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
})

const chatForm = {
  content: [{ id: 1, token: generated, bytes: [], logprob: -0.1, top_logprobs: [{ token: generated, logprob: -0.1 }] }],
}

function shiftedForm(prompt: string, { logprobOf }: FakeCompletions): object {
  const tokens = fakeTokens(prompt)
  const scores = tokens.map((token, index) => (index === 0 ? null : logprobOf(token)))
  const followed = [...tokens.slice(1), generated]
  return {
    tokens,
    token_logprobs: scores,
    top_logprobs: tokens.map((token, index) =>
      index === 0 ? null : { [followed[index] ?? '']: -0.1, [token]: scores[index] },
    ),
    text_offset: tokens.map((_, index) => Array.from(tokens.slice(0, index).join('')).length),
  }
}

function echoForm(prompt: string, { kind, logprobOf }: FakeCompletions): object {
  if (kind === 'echo-shifted') return shiftedForm(prompt, { kind, logprobOf })
  const tokens = [...(kind === 'echo-bos' ? ['<s>'] : []), ...fakeTokens(prompt), generated]
  const scores = tokens.map((token, index) => (index === 0 ? null : logprobOf(token)))
  let offset = 0
  return {
    tokens,
    token_logprobs: scores,
    top_logprobs: tokens.map((token, index) =>
      index === 0 ? null : { [rival.text]: rival.logprob, [token]: scores[index] },
    ),
    text_offset: tokens.map(token => {
      const start = offset
      offset += Array.from(token).length
      return kind === 'echo-no-offsets' ? -1 : start
    }),
  }
}

function ownForm(request: { prompt: string; prompt_logprobs?: number }, { logprobOf }: FakeCompletions): object {
  if (request.prompt_logprobs === undefined) return {}
  return {
    prompt_logprobs: fakeTokens(request.prompt).map((token, index) => {
      if (index === 0) return null
      const logprob = logprobOf(token)
      const own = { logprob, rank: logprob > rival.logprob ? 1 : 2, decoded_token: token }
      return own.rank === 1
        ? { 40: own }
        : { 7: { logprob: rival.logprob, rank: 1, decoded_token: rival.text }, 40: own }
    }),
  }
}
