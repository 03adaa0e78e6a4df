// Properties that bundles shorten. None is part of the public API, of what is sent or stored, of what one bundle hands
// to another, or a property of the browser that this code uses (src/bundle/bundles.spec.ts).
export const mangledNames = `
  added adopt answer areNamesFree batch batcher batches become begun cancelTimer canSend change channel cleared clock
  controller delay depth drain draining drop dropTexts due early elect emit enter erase exchange expire factory fail
  failures fits flying flyingBytes forget fraction fulfil giveUp gone grow guarded hasBadClock hasStorageFailed head
  header hold hurry identity idle idOf inJournal isActive isCleared isElected isGone isGuess isIdle isInFlight isKnown
  isLeaving isOpen isOurs isOwned isPersistent isReady isRefused isSender isSending isSpare isStored isTaking
  isTrimming isWaiting journal keep lease leftOut letGo lifecycle list listener load lookTimer members messageOf
  monotonic moveOn note onCleared ours outbox over parts pause pausedUntil pauseUntil persist ports postpone prefix
  prepare queue read reasons remove report reporter requests rest rests resume save schedule seal sealAll sealStored
  send sendAll sending setAside settings settle start state stop storageFailed storageWorks storing take tell texts
  timers transport unsubscribe update urgent used uuid wait waiting wanted wasLost write writeCookie writes written
`
  .trim()
  .split(/\s+/);
