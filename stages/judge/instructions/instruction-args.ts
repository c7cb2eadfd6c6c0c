import { z } from 'zod'

/** What the metrics of instructions read of a metric's entry. */
export const instructionArgs = z.strictObject({
  /** Whether an answer also counts that follows without its first line, its last one, both, or the `*` of Markdown. */
  loose: z.boolean().default(false),
  /** The doc's field with the instructions' ids. */
  instructions: z.string().default('instruction_id_list'),
  /** The doc's field with what each of them is given, null where it is nothing. */
  arguments: z.string().default('kwargs'),
})
