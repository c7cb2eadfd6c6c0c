import { answerCompletion, type CompletionsKind } from '../fake-completions.js'
import { openaiErrors } from './canned.js'
import type { CorpusCase, Responder } from './cases.js'
import * as inputs from './inputs.js'

/** A server that returns log-probabilities in one of the existing formats. */
const scoring =
  (kind: CompletionsKind): Responder =>
  ({ path, body }) => {
    if (path.endsWith('/detokenize')) return { body: JSON.stringify({ prompt: '<s>[INST] Sky? [/INST]' }) }
    if (path.endsWith('/tokenize')) return { body: JSON.stringify({ tokens: [1, 2, 3] }) }
    const logprobOf = (token: string): number => -(((token.codePointAt(token.length - 1) ?? 0) % 16) + 1) / 8
    const { status, body: answer } = answerCompletion(body, { kind, logprobOf })
    return { status, body: JSON.stringify(answer) }
  }

const kinds: readonly CompletionsKind[] = ['echo', 'echo-bos', 'echo-no-offsets', 'prompt_logprobs']
/** Servers whose log-probabilities are rejected. */
const refusedKinds: readonly CompletionsKind[] = ['echo-shifted', 'ignores-echo']

const contexts = [
  'Q: What is it?\nA:',
  'The capital of France is',
  'white space \n',
  'naïve 日本 😀',
  'One.\n\nTwo.\n\n',
  'a',
  ' leading space',
  '',
]
const continuations = [' Paris', 'Paris', ' the city of Paris', '\n two lines', ' 日本', ' ', '.']

/** Cases of log-likelihoods through the completions endpoint, for servers of every kind. */
export function openaiLoglikelihoods(): readonly CorpusCase[] {
  const base = { model: 'm-1', base_url: '{origin}/v1', api_key: 'test-key' }
  const of = (
    name: string,
    kind: CompletionsKind,
    more: Partial<CorpusCase> & Pick<CorpusCase, 'input'>,
  ): CorpusCase => ({
    name: `${more.backend ?? 'openai'} | ${kind} | ${name}`,
    backend: 'openai',
    generation: {},
    replies: scoring(kind),
    ...more,
    args: { ...base, ...more.args },
  })
  const asked = contexts.flatMap(context =>
    continuations.map(
      continuation => [JSON.stringify([context, continuation]), inputs.scored(context, continuation)] as const,
    ),
  )
  const texts = [...contexts, ...continuations].filter(text => text !== '')
  const plain = kinds.flatMap(kind => asked.map(([name, input]) => of(name, kind, { input })))
  const refused = refusedKinds.map(kind => of('refused', kind, { input: inputs.scored('The sky is', ' blue') }))
  const rolled = kinds.flatMap(kind =>
    texts.map(text => of(`rolling ${JSON.stringify(text)}`, kind, { input: inputs.rolling(text) })),
  )
  const values = {
    prefix_text: ['<s>', 'Text: '],
    prompt_format: ['template', 'plain'],
    omit: [['temperature']],
    extra_body: [{ top_k: 5 }],
    model: ['m-2'],
  }
  const varied = Object.entries(values).flatMap(([argument, all]) =>
    all.flatMap((value, index) =>
      [
        ['after a text', inputs.scored('The sky is', ' blue')] as const,
        ['after nothing', inputs.scored('', 'blue sky')] as const,
        ['after a conversation', inputs.scoredConversation(' blue')] as const,
        ['rolling', inputs.rolling('The sky is blue')] as const,
      ].map(([name, input]) =>
        of(`${argument}=${JSON.stringify(value)} | ${name}`, kinds[index % 2] ?? 'echo', {
          input,
          args: { [argument]: value },
        }),
      ),
    ),
  )
  const elsewhere = [
    'openai_completions',
    'together',
    'fireworks',
    'litellm',
    'vllm',
    'sglang',
    'llama_cpp',
    'lmdeploy',
  ].flatMap(backend =>
    kinds.slice(0, 2).map(kind => of('after a text', kind, { backend, input: inputs.scored('The sky is', ' blue') })),
  )
  const failing = Object.entries(openaiErrors).map(([name, replies]) => ({
    ...of(name, 'echo', { input: inputs.scored('The sky is', ' blue') }),
    name: `openai | reply: ${name}`,
    replies,
  }))
  return [...refused, ...plain, ...rolled, ...varied, ...elsewhere, ...failing]
}
