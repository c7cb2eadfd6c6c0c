/**
 * The words of a language that separates words by spaces. Each text holds alternatives of a pattern that ignores case;
 * a space in it stands for any white space.
 */
export interface AnswerWords {
  /** Names of the conclusion: answer, option. */
  readonly nouns: string
  /** Words between that name and the verb: "the answer to this question is". */
  readonly qualities?: string
  /** Verbs between the name and the answer: is, would be. Some languages need none. */
  readonly verbs?: string
  /** Words between the verb and the letter of an option: "is clearly option". */
  readonly links?: string
  /** Says that what stands before it is right. */
  readonly right: string
  /** Denies or only supposes what follows: not, neither, if. */
  readonly denials: string
  /** The only words that may stand between a denial and what it denies: "don't think that the answer is". */
  readonly fillers?: string
  /** Denies what stands before it, whatever follows: "B is not …". */
  readonly negated: string
  /** Negates the clause that it stands in, from there on: "Nothing is red". */
  readonly negates: string
  /** Negates its whole clause, also what stands before it. Languages with the verb at the end have it. */
  readonly negatesAnywhere?: string
  /** Says that what stands before it is wrong. */
  readonly wrong: string
  /** Begins a question. */
  readonly asks?: string
  /** Takes back what was stated before: "A. Actually no, C." */
  readonly corrects: string
  /** Stands between several answers: or, and. */
  readonly joins: string
  /** Answers that are nothing else. */
  readonly yes: string
  readonly no: string
  /** Begins with a word for "no" and answers nothing: "No sé". */
  readonly unknowing?: string
}
