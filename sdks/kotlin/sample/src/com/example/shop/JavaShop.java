package com.example.shop;

import android.content.Context;
import android.util.Log;
import java.util.Collections;
import java.util.Date;
import tech.sluice.CallOptions;
import tech.sluice.Client;
import tech.sluice.Configuration;
import tech.sluice.Consent;
import tech.sluice.Notification;
import tech.sluice.Sluice;

/** A client and its calls in Java; ShopApp.kt makes one in Kotlin. */
final class JavaShop {
    private final Client sluice;

    JavaShop(Context context) {
        Configuration configuration = new Configuration("API_KEY", "SOURCE_IDENTIFIER", "https://HOST");
        configuration.setErrorHandler(error -> Log.w("Shop", error.toString()));
        configuration.setConsent(Consent.PENDING);
        configuration.getNotifications().setChannelName("Offers and orders");
        configuration.getNotifications().setListener(interaction -> Log.i("Shop", interaction.getId()));
        sluice = Sluice.create(context, configuration);
    }

    void use() {
        sluice.consent(Consent.GRANTED);
        sluice.identify("u-1");
        sluice.track("order_completed", Collections.singletonMap("total", 49.9));
        sluice.track("order_imported", null, new CallOptions(new Date(0)));
        sluice.flush(result -> Log.i("Shop", result.getSent() + " sent, " + result.getLeft() + " left"));
        Notification.refreshToken("token");
    }
}
