package tech.sluice.net

import java.net.CookieHandler
import java.net.URI
import java.net.URL
import java.net.URLConnection
import tech.sluice.InternalSluiceApi

/**
 * Opens a connection that neither sends nor takes cookies of the app. It must be used on the thread that opened it.
 *
 * A connection takes the process's handler when it is opened, and has no switch of its own. The methods of
 * [CookieHandler] hold the lock of its class, so nobody sees the stand-in while we hold it. Android 6 has no such lock:
 * there the stand-in serves the app's own requests by the app's handler.
 */
@InternalSluiceApi
public fun openWithoutCookies(url: URL): URLConnection =
    synchronized(CookieHandler::class.java) {
        val host = CookieHandler.getDefault() ?: return url.openConnection()
        val standIn = CookiesOfOtherThreads(host, Thread.currentThread())
        CookieHandler.setDefault(standIn)
        try {
            url.openConnection()
        } finally {
            if (CookieHandler.getDefault() === standIn) CookieHandler.setDefault(host)
        }
    }

/** The app's cookies, except on the thread [own]. */
private class CookiesOfOtherThreads(private val host: CookieHandler, private val own: Thread) : CookieHandler() {
    override fun get(uri: URI, headers: Map<String, List<String>>): Map<String, List<String>> =
        if (Thread.currentThread() === own) emptyMap() else host.get(uri, headers)

    override fun put(uri: URI, headers: Map<String, List<String>>) {
        if (Thread.currentThread() !== own) host.put(uri, headers)
    }
}
