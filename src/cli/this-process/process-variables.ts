import { isProxySet } from '../../../stages/model/backends/http/wire/proxy.js'

/**
 * Sets variables in `process.env` while `work` runs. They are for users' code and for the proxy of Node's `fetch`. The program itself gets variables
 * as values (src/config/variables.ts). Only the command line calls this, for one run at a time.
 */
export async function withVariables<T>(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map(name => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  await followProxies(variables)
  try {
    return await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
    await followProxies(variables)
  }
}

async function followProxies(changed: Readonly<Record<string, string>>): Promise<void> {
  if (!isProxySet(changed)) return
  const { proxyFetch } = await import('./proxied-fetch.js')
  proxyFetch(process.env)
}

/** Sets variables in `process.env` before a command begins. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables)
}
