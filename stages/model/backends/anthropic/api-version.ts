/** The last version of the API whose requests may have `temperature`, `top_p` and `top_k`. */
const withSampling = '2023-06-01'

/**
 * The version that refuses the sampling parameters, whatever the model.
 *
 * @see https://platform.claude.com/docs/en/api/migration-2026-10-21
 */
const withoutSampling = '2026-10-21'

/** Claude up to 4.6: later models refuse a temperature other than 1. */
const samplingClaude = /claude-(instant|2|3|(opus|sonnet|haiku)-4(-[0-6])?(?![-.]?\d?\d(?!\d)))/

/**
 * Whether a model takes sampling parameters. Models of others that speak Claude's protocol do; a Claude of a name that is not
 * known is taken for a new one.
 */
const takesSampling = (model: string): boolean => !/claude/i.test(model) || samplingClaude.test(model.toLowerCase())

interface VersionArgs {
  readonly model: string
  readonly anthropic_version?: string | undefined
}

/** The API version to ask for: the newest, but for models whose default temperature has to be sent. */
export const versionFor = ({ model, anthropic_version: given }: VersionArgs): string =>
  given ?? (takesSampling(model) ? withSampling : withoutSampling)

/** Whether the default temperature of 0 can be sent. Where it can't, the model samples by its own rules. */
export const sendsTemperature = (args: VersionArgs): boolean =>
  versionFor(args) < withoutSampling && takesSampling(args.model)
