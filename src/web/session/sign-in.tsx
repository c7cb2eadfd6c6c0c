import { useState } from 'preact/hooks'
import { signIn, type Session } from './session.js'

/** Asks for a token if the server needs one and the browser has no session. */
export function SignIn({ done }: { readonly done: (session: Session) => void }) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isAsking, setIsAsking] = useState(false)
  const send = async (): Promise<void> => {
    setIsAsking(true)
    try {
      done(await signIn(token))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setIsAsking(false)
    }
  }
  return (
    <main id="main" class="sign-in">
      <h1>Sign in</h1>
      <p>
        If you started <code>pipeline ui</code>, open the address that it printed. For any other server, enter a token.
        The person who runs the server makes one with <code>pipeline serve token new --name NAME</code>.
      </p>
      <form
        onSubmit={event => {
          event.preventDefault()
          void send()
        }}
      >
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="current-password"
          placeholder="pl_…"
          required
          value={token}
          aria-describedby={problem === undefined ? undefined : 'token-problem'}
          onInput={event => setToken(event.currentTarget.value)}
        />
        <button type="submit" disabled={isAsking}>
          Sign in
        </button>
      </form>
      {problem !== undefined && (
        <p id="token-problem" class="problem-text" role="alert">
          {problem}
        </p>
      )}
    </main>
  )
}
