export interface Compared {
  readonly question: string
  /** The model's. */
  readonly answer: string
  readonly options: readonly string[]
}

/** Asks a judge model which option an answer comes to: its letter, or X. Source: the prompt of lmms-eval 0.7.2 (MIT), word for word. */
export const matchingPrompt = ({ question, answer, options }: Compared): string =>
  `Given a model's answer to a video question and the available options, determine which option matches the answer.

Question: ${question}

Model's Answer: ${answer}

Options:
${options.join('\n')}

Instructions:
- Analyze the semantic meaning of the model's answer
- Compare it with each option
- If the model's answer clearly matches one option, output that letter (A, B, C, or D)
- If the model's answer does NOT match any option (irrelevant, wrong, or unrelated), output "X"
- If the model explicitly refuses to answer, says "cannot answer", or gives an empty/meaningless response, output "X"

Output format: Just output a single letter (A, B, C, D, or X), nothing else.`
