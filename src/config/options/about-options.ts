import { option } from '../option.js'
import { texts, text } from '../values/option-values.js'

/** Options that describe a run to people. They change neither its id nor its answers. */
export const aboutOptions = {
  /** A name that stands beside the run's own. */
  name: option({
    flag: '--name <text>',
    help: "a name for the run, which lists and reports show beside the run's own",
    ...text(),
    isIdentity: false,
    stored: 'given',
  }),
  /** Tags to add to the run. */
  tag: option({
    flag: '--tag <tag>',
    help: 'a tag for the run, as by runs tag; may be repeated',
    docs: 'a tag for the run, as by [`runs tag`](runs.md#pipeline-runs-tag-run-tag); may be repeated',
    ...texts('a tag, or a list of tags'),
    isIdentity: false,
    stored: 'no',
  }),
  /** A remark that is kept with the run. */
  note: option({
    flag: '--note <text>',
    help: 'a remark that is kept with the run',
    ...text(),
    isIdentity: false,
    stored: 'given',
  }),
  /** The model's name in tables, instead of its address or path. */
  modelName: option({
    flag: '--model-name <text>',
    help: "the model's name in tables, instead of its address or path",
    ...text(),
    isIdentity: false,
    stored: 'given',
  }),
}
