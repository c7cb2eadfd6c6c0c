import type { Command } from 'commander'
import { makeWordReader } from '../../config/values/option-values.js'
import { runStates } from '../../reading/runs/choose-runs.js'

/** Adds the flags that choose runs. */
export const withRunFilters = (command: Command): Command =>
  command
    .option('--model <pattern>', 'only runs of these models: a part of the name, or a pattern with *, ? and [abc]')
    .option('--task <pattern>', 'only runs with such a task: a part of its name, or a pattern')
    .option('--state <state>', `only runs in this state: ${runStates.join(', ')}`, makeWordReader('--state', runStates))
    .option('--tag <tag>', 'only runs with this tag')
    .option('--all', 'also runs that hold the requests of judge models and of rounds')
