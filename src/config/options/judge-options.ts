import { parities } from '../../../stages/judge/define/parity.js'
import { option } from '../option.js'
import { addJudgeChoice, judgeChoices } from '../values/judge-choices.js'
import { judgeOverrides } from '../values/judge-overrides.js'
import { argumentMap, text, word } from '../values/option-values.js'

/** The judge model; its arguments are merged name by name. */
export const judgeOptions = {
  /** The backend of the judge model, for tasks that are scored by a model. @default none */
  judgeModel: option({
    flag: '--judge-model <name>',
    help: 'the judge model, for scores that need one   (pipeline models list)',
    ...text('the name of a model backend'),
    isIdentity: true,
    stored: 'given',
  }),
  judgeArgs: option({
    flag: '--judge-args <args>',
    help: 'arguments of the judge model: model=…,base_url=…; may be repeated',
    ...argumentMap('a mapping of arguments, or a text such as a=1,b=x'),
    isIdentity: true,
    stored: 'given',
  }),
  /** The judge models of some tasks or metrics, instead of `judgeModel`. Several for one of them are a panel. @default none */
  judgeFor: option({
    flag: '--judge-for <task[.metric]=judge>',
    help: "the judge model of one task or metric, such as mme.quality=openai,model=…; '*' matches any name; several for one name are a panel",
    docs: 'the judge model of one task or metric, such as `mme.quality=openai,model=…`; `*` matches any name; several for one name are a [panel](../tasks/judges.md#panels)',
    read: addJudgeChoice,
    file: judgeChoices.describe(
      'a mapping of tasks or TASK.METRIC to a judge, such as openai,model=gpt-4o or {model, args}, or to a list of judges',
    ),
    isIdentity: true,
    stored: 'given',
  }),
  /** Judge models to ask in place of others, by the name of the model that is replaced. @default none */
  judgeOverride: option({
    flag: '--judge-override <old=new>',
    help: 'use the judge model NEW wherever arguments, variables or a task name OLD; may be repeated',
    docs: 'use the judge model NEW wherever arguments, variables or a task name OLD, such as one that was [shut down](../tasks/judges.md#replaced-judges); may be repeated',
    ...judgeOverrides,
    isIdentity: true,
    stored: 'given',
  }),
  /** Reproduce the known wrong scores of another program, to compare with its numbers. @default none */
  parity: option({
    flag: '--parity <name>',
    help: 'reproduce the known errors of another program (lmms-eval) in scores, and evaluate the docs that it evaluates, to compare with its numbers',
    docs: 'reproduce the known errors of another program (`lmms-eval`) in scores, and evaluate the docs that it evaluates, to compare with its numbers; see [parity](../parity.md)',
    ...word(parities),
    isIdentity: true,
    stored: 'given',
  }),
}
