package tech.sluice

import android.app.Activity
import android.app.Application
import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import android.content.IntentFilter
import android.net.ConnectivityManager
import android.net.Network
import android.net.NetworkCapabilities
import android.net.NetworkRequest
import android.os.Bundle
import tech.sluice.core.LifecycleEvent

/** Signals a client when the app comes and goes, the network is back, and the device is unlocked. */
internal class Surroundings(private val installation: Installation) {
    private val context = installation.context
    private var visible = 0
    private var isEnded = false
    private val activities = Activities()
    private val unlocked = Unlocked()
    private val networks = Networks()

    /** Begins to follow. The calls to the system are made off the main thread. */
    fun follow() {
        (context as? Application)?.registerActivityLifecycleCallbacks(activities)
        installation.background { synchronized(this) { if (!isEnded) ask() } }
    }

    private fun ask() {
        quietly { context.registerReceiver(unlocked, IntentFilter(Intent.ACTION_USER_UNLOCKED)) }
        val request = NetworkRequest.Builder().addCapability(NetworkCapabilities.NET_CAPABILITY_INTERNET).build()
        quietly { connectivity()?.registerNetworkCallback(request, networks) }
    }

    /** Undoes [follow]. Called off the main thread. */
    fun end() {
        (context as? Application)?.unregisterActivityLifecycleCallbacks(activities)
        synchronized(this) {
            if (isEnded) return
            isEnded = true
            quietly { context.unregisterReceiver(unlocked) }
            quietly { connectivity()?.unregisterNetworkCallback(networks) }
        }
    }

    private fun connectivity() = context.getSystemService(Context.CONNECTIVITY_SERVICE) as? ConnectivityManager

    private inner class Activities : Application.ActivityLifecycleCallbacks {
        override fun onActivityStarted(activity: Activity) {
            if (visible++ == 0) installation.client.handle(LifecycleEvent.SHOW)
        }

        override fun onActivityStopped(activity: Activity) {
            // The client can be made after an activity had started.
            visible = maxOf(0, visible - 1)
            if (visible > 0 || activity.isChangingConfigurations) return
            // The job is scheduled before the process can end, and cancelled if everything was sent. Clients share it.
            installation.scheduleFlush()
            installation.client.handle(LifecycleEvent.HIDE)
            installation.client.flush { if (it.left == 0 && Sluice.open().size <= 1) installation.cancelFlush() }
        }

        override fun onActivityCreated(activity: Activity, savedInstanceState: Bundle?): Unit = Unit

        override fun onActivityResumed(activity: Activity): Unit = Unit

        override fun onActivityPaused(activity: Activity): Unit = Unit

        override fun onActivitySaveInstanceState(activity: Activity, outState: Bundle): Unit = Unit

        override fun onActivityDestroyed(activity: Activity): Unit = Unit
    }

    private inner class Unlocked : BroadcastReceiver() {
        override fun onReceive(context: Context, intent: Intent) {
            installation.client.handle(LifecycleEvent.WAKE)
        }
    }

    /** A hint to try sooner. Nothing waits for it, because it can be wrong. */
    private inner class Networks : ConnectivityManager.NetworkCallback() {
        override fun onAvailable(network: Network) {
            installation.client.handle(LifecycleEvent.ONLINE)
        }
    }
}
