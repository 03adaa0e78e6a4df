package tech.sluice

/** Whether ids and messages may be stored and sent. */
public enum class Consent {
    /** Everything is stored and sent. */
    GRANTED,

    /** Messages wait in memory. Nothing is read, written or sent. */
    PENDING,

    /** Queue and identity are erased, and calls do nothing. */
    DENIED,
}
