// Properties that bundles shorten. None of them is part of the public API, of what is sent, of what is stored, or a
// property of the browser that this code uses (mangled-names.spec.ts in the tests of the bundle).
export const mangledNames = `
  batch texts isStored due isReady isInFlight isRefused isCleared reasons isDoubtful outbox reporter clock identity early
  emit listeners isElected letGo isGone elect isLeaving isOwned told tell lookTimer writeCookie denied gone factory
  inJournal memory report isPersistent begin heads sending isSender own inDatabase storageFailed monotonic drain erase
  pausedUntil isOpen uuid batcher isTaking used forget leftOut urgent giveUp hasStorageFailed rests isGuess flying
  flyingBytes pauseUntil later refused isRunning isOurs timers failed writes moveOn opened journal maxMessages maxBytes
  maxBatchBytes failures fits isKnown postpone wasLost setAside cleared cancelTimer hold ours lifecycle sealAll idOf
  hasBadClock isFull dropMessage database sealStored areNamesFree storageWorks requests hurry prepare requestOf settle
  answer stored rest evict draining urgently sendAll expire schedule onCleared become plugged messageOf note ports
  settings around isActive grow persist written unsubscribe defer waiting fraction
`
  .trim()
  .split(/\s+/);
