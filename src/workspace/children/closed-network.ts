import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import workers from 'node:worker_threads'

/**
 * Takes the network away from this process, for good: Node's permission model has no say in it. New threads are refused
 * as well, since a thread has built-in modules of its own, in which the network is open.
 */
export function closeNetwork(): void {
  refuse(net.Socket.prototype, ['connect'])
  refuse(net.Server.prototype, ['listen'])
  refuse(dgram.Socket.prototype, ['bind', 'connect', 'send', 'sendto'])
  for (const lookups of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    refuse(lookups, functionsOf(lookups))
  refuse(workers, ['Worker'])
  refuse(globalThis, ['fetch', 'WebSocket', 'EventSource'])
  syncBuiltinESMExports()
}

function refuse(owner: object, names: readonly string[]): void {
  for (const name of names) {
    // Not an arrow function: `new` has to reach it too.
    function value() {
      throw new Error(`${name} is not for the reader of documents`)
    }
    Object.defineProperty(owner, name, { value, writable: false, configurable: false })
  }
}

/** Prototypes hold theirs where `Object.keys` does not look. */
function functionsOf(owner: object): readonly string[] {
  const properties = [owner, Object.getPrototypeOf(owner)].flatMap((object) =>
    object === Object.prototype ? [] : Object.getOwnPropertyNames(object),
  )
  return properties.filter((name) => name !== 'constructor' && typeof Reflect.get(owner, name) === 'function')
}
