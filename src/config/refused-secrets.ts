/** Refuses settings that would write a secret into the store. */
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { secretsIn } from '../../base/text/secrets.js'
import { withoutSecretValues } from './secrets.js'
import type { EvalSettings } from './settings.js'

/** A shorter value may be an ordinary word of a note or prompt. */
const shortestKey = 16

/** Settings that are stored unchanged. */
const storedSettings = [
  ...(['name', 'note', 'tag', 'modelName', 'systemInstruction'] as const),
  ...(['modelArgs', 'genKwargs', 'override', 'judgeArgs', 'judgeFor'] as const),
]

/**
 * Verifies that no stored setting contains the value of a secret variable, for example a command line with a key that was copied into `note`. A
 * resumed run is not checked again.
 *
 * @throws PipelineError (usage) with every setting that contains a secret
 */
export function refuseStoredSecrets(
  settings: Pick<EvalSettings, 'env' | 'resume' | (typeof storedSettings)[number]>,
): void {
  if (settings.resume !== undefined) return
  const problems = storedSettings.flatMap(key =>
    describeSecrets(option(key), listTexts(withoutSecretValues(settings[key])), settings.env),
  )
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

/** Verifies that no tag contains the value of a secret variable. @throws PipelineError (usage) */
export function refuseSecretTags(tags: readonly string[], env: EvalSettings['env']): void {
  const problems = describeSecrets('a tag', tags, env)
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

/** Returns a sentence for each text that holds the value of a secret variable. */
function describeSecrets(what: string, texts: readonly string[], env: EvalSettings['env']): readonly string[] {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    secretsIn({ [name]: value }).flatMap(secret => (secret.length < shortestKey ? [] : [{ name, secret }])),
  )
  return texts.flatMap(text => {
    const variable = variables.find(({ secret }) => text.includes(secret))
    return variable === undefined
      ? []
      : [`${what} holds the value of the variable ${variable.name}, and is stored with the run. Leave the key out`]
  })
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}
