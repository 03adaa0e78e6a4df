package tech.sluice

/**
 * An error that the SDK reports to [ErrorHandler]. The SDK never throws at its caller.
 *
 * @property code what happened
 * @property message a text for developers, without keys or bodies of messages
 * @property count number of messages lost by the error; null if it loses none by itself
 * @property requestId `X-Request-Id` of the answer; name it when you ask the operators
 * @property cause the exception behind the error, if there is one
 */
public class SluiceError
@JvmOverloads
constructor(
    public val code: Code,
    public val message: String,
    public val count: Int? = null,
    public val requestId: String? = null,
    public val cause: Throwable? = null,
) {
    /** The kinds of errors. */
    public enum class Code {
        /** A credential or the host is blank, so the client does nothing. */
        DISABLED,

        /** A call breaks a rule of the service and was not queued. */
        INVALID,

        /** The service refused messages or left values out; `count` messages are lost. */
        REFUSED,

        /** A try failed after `maxAge`; at most `count` messages are lost, because an answer may have been lost. */
        EXPIRED,

        /** The queue was full; the `count` oldest messages are lost. */
        OVERFLOW,

        /** The service does not accept the credentials; everything is kept. */
        UNAUTHORIZED,

        /**
         * Three tries in a row had no answer of the service: a wrong host or path, no network, a portal. Once per outage;
         * everything is kept.
         */
        UNREACHABLE,

        /** Consent was denied, and `count` messages that waited were erased. */
        DENIED,

        /** The store failed; `count` messages are lost, 0 while they are kept in memory. */
        STORAGE,
    }

    override fun toString(): String = "SluiceError($code, $message, count=$count, requestId=$requestId)"
}

/** Receives the errors of a client, on a thread of the SDK. Exceptions that it throws are ignored. */
public fun interface ErrorHandler {
    public fun onError(error: SluiceError)
}
