package tech.sluice.faults

import java.util.Random
import java.util.UUID
import tech.sluice.core.Batch
import tech.sluice.core.BatchStore
import tech.sluice.core.HttpRequest
import tech.sluice.core.Transport

/** How long the late mutant keeps a message in memory. */
const val LATE_MS = 5_000L

/** An SDK that is wrong on purpose: the faults run must fail with it. */
enum class Mutant(val text: String) {
    /** Drops every second message before it is written. */
    HALF("half"),

    /** Writes messages five seconds after their calls. */
    LATE("late"),

    /** Sends a batch again under another key. */
    NEW_KEY("new-key"),

    /** Loses a file of the queue now and then. */
    FORGET("forget"),
}

/** True if the caller of the worker hands over a message. */
fun isOfMessage(): Boolean =
    Thread.currentThread().stackTrace.take(8).any { it.className.endsWith("core.ClientState") && it.methodName == "make" }

fun rekeying(real: Transport, mutant: Mutant?): Transport =
    if (mutant != Mutant.NEW_KEY) {
        real
    } else {
        Transport { request, done ->
            val headers = request.headers + ("Idempotency-Key" to UUID.randomUUID().toString())
            real.send(HttpRequest(request.method, request.url, headers, request.body), done)
        }
    }

fun forgetting(real: BatchStore, mutant: Mutant?): BatchStore =
    if (mutant != Mutant.FORGET) {
        real
    } else {
        object : BatchStore by real {
            private val random = Random()

            override fun list(known: Set<String>, lost: (count: Int, cause: String) -> Unit): List<Batch> {
                val (forgotten, kept) = real.list(known, lost).partition { random.nextInt(10) == 0 }
                forgotten.forEach { real.remove(it) }
                return kept
            }
        }
    }
